//! Which messages a caller may read.

use agent_worker_protocol::conversation::Conversation;

use crate::{
    context::cx::Cx,
    error::OpError,
    rows::{conversation::ConversationRow, workflow::WorkflowRow},
};

/// The conversation a reader names, if the reader may read it.
pub fn readable(
    cx: &Cx<'_>,
    scope: &WorkflowRow,
    name: Option<&Conversation>,
) -> Result<ConversationRow, OpError> {
    let name = name.unwrap_or(&Conversation::Channel);
    let group = ConversationRow::by_name(cx.db, scope, name)?;
    if may_read(cx, &group)? {
        return Ok(group);
    }
    // What one may not read does not exist for one.
    Err(OpError::not_found(format!("no conversation named `{name}` in {}", scope.scope)))
}

/// Whether the caller may read a conversation.
pub fn may_read(cx: &Cx<'_>, group: &ConversationRow) -> Result<bool, OpError> {
    if cx.is_person() {
        return Ok(true);
    }
    match cx.member_in(group.scope_id)? {
        Some(me) => group.is_open_to(cx.db, &me),
        None => Ok(false),
    }
}
