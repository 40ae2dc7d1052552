//! Which messages a caller may read.

use agent_worker_protocol::Conversation;

use crate::{
    context::{Cx, Who, cx::not_a_member},
    error::{OpError, Result},
    rows::{
        ConversationRow, WorkflowRow,
        message::{self, Inside},
    },
};

/// The conversation a reader names, if the reader may read it.
pub fn readable(
    cx: &Cx<'_>,
    scope: &WorkflowRow,
    name: Option<&Conversation>,
) -> Result<ConversationRow> {
    let name = name.unwrap_or(&Conversation::Channel);
    if let Some(group) = ConversationRow::find(cx.db, scope.id, name)?
        && may_read(cx, &group)?
    {
        return Ok(group);
    }
    if let Who::Operator { member: Some(member) } = &cx.who
        && cx.member_in(scope.id)?.is_none()
    {
        return Err(not_a_member(member, &scope.scope));
    }
    // What one may not read does not exist for one.
    let list = format!("agent-worker group list {}", scope.scope);
    Err(OpError::not_found(format!("no conversation named `{name}` in {}", scope.scope))
        .hint(cx.either("group_list shows those that you may read", &list)))
}

/// Whether the caller may read a conversation.
pub fn may_read(cx: &Cx<'_>, group: &ConversationRow) -> Result<bool> {
    if cx.is_person() {
        return Ok(true);
    }
    let Some(me) = cx.member_in(group.scope_id)? else { return Ok(false) };
    group.is_open_to(cx.db, &me)
}

/// A message that the caller may read, with its conversation: what one may not read does not exist
/// for one. Only the user reads a hidden one.
pub fn find(cx: &Cx<'_>, seq: i64) -> Result<Option<(ConversationRow, Inside)>> {
    let Some(inside) = message::inside(cx.db, seq)? else { return Ok(None) };
    let group = ConversationRow::by_id(cx.db, inside.group)?;
    let is_readable = (cx.is_person() || !inside.hidden) && may_read(cx, &group)?;
    Ok(is_readable.then_some((group, inside)))
}
