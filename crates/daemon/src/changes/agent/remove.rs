//! Removes members.

use agent_worker_protocol::EventBody;

use crate::{
    changes::{
        document,
        message::{conversation, delivery},
        question,
        run::end,
        schedule::change,
    },
    context::Cx,
    error::Result,
    rows::AgentRow,
    rules::edges::REMOVED,
};

/// Takes a member out of its scope. Its open mail is dropped, a live run of it ends, and the person
/// owns what it owned. Proposals that waited for its vote alone are closed by the caller, once all
/// are removed that go together: what they decide is not for a member that goes too.
pub fn remove(cx: &mut Cx<'_>, row: &AgentRow) -> Result<()> {
    delivery::drop_open(cx, row.id, REMOVED)?;
    question::close_of_agent(cx, row)?;
    change::complete_of_agent(cx, row.id)?;
    document::take_over(cx, row)?;
    row.remove(cx.db, cx.now)?;
    for child in row.leave_children(cx.db)? {
        cx.touch_agent(child);
    }
    conversation::leave_all(cx, row.id)?;
    end::end_of_agent(cx, row.id, true)?;
    cx.touch_scope(row.scope_id);
    cx.touch_attention(row.scope_id);
    cx.judge(row.scope_id);
    cx.emit(&row.scope, EventBody::AgentRemoved { target: row.target() })
}
