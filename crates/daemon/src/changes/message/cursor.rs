//! Moves the user's read cursor.

use agent_worker_protocol::Group;

use crate::{
    changes::message::delivery,
    context::Cx,
    error::Result,
    rows::{AgentRow, ConversationRow},
};

/// Moves the user's read cursor on to `until` and acks what it passes; never back.
pub fn move_cursor(
    cx: &mut Cx<'_>,
    group: &ConversationRow,
    person: &AgentRow,
    until: i64,
) -> Result<Group> {
    if until > group.shown(cx.db)?.read_seq {
        group.set_cursor(cx.db, person.id, until)?;
        delivery::ack_read(cx, person, group.id, until)?;
        cx.touch_attention(group.scope_id);
        cx.touch_conversation(group.id);
    }
    group.entity(cx.db)
}
