//! Moves the user's read cursor.

use agent_worker_protocol::conversation::Group;
use rusqlite::params;

use crate::{
    changes::message::delivery,
    context::cx::Cx,
    error::OpError,
    rows::{agent::AgentRow, conversation::GroupRow},
};

/// Moves the user's read cursor on to `until` and acks what it passes; never back.
pub fn move_cursor(
    cx: &mut Cx<'_>,
    group: &GroupRow,
    person: &AgentRow,
    until: i64,
) -> Result<Group, OpError> {
    let (read, _) = group.cursor_of_person(cx.db)?.unwrap_or_default();
    if until > read {
        let unread: i64 = cx
            .conn
            .prepare_cached("SELECT count(*) FROM messages WHERE group_id = ?1 AND seq > ?2")?
            .query_row(params![group.id, until], |row| row.get(0))?;
        let sql = "UPDATE group_members SET last_read_seq = ?3, read_messages = ?4
                   WHERE group_id = ?1 AND agent = ?2";
        cx.conn.prepare_cached(sql)?.execute(params![
            group.id,
            person.id,
            until,
            group.messages - unread
        ])?;
        delivery::ack_read(cx, person, group.id, until)?;
        cx.touch_attention(group.scope_id);
        cx.touch_conversation(group.id);
    }
    group.entity(cx.conn)
}
