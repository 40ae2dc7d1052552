//! Creates members.

use crate::{
    changes::message,
    context::Cx,
    error::Result,
    rows::{AgentRow, NewAgent, WorkflowRow, conversation},
};

/// Makes a member and its place in the channel.
pub fn insert(cx: &mut Cx<'_>, scope: &WorkflowRow, new: &NewAgent<'_>) -> Result<AgentRow> {
    conversation::check_is_no_group(cx.db, scope, new.name)?;
    let id = new.store(cx.db)?;
    message::conversation::join_channel(cx, scope, id)?;
    cx.touch_agent(id);
    cx.touch_scope(scope.id);
    AgentRow::by_id(cx.db, id)
}
