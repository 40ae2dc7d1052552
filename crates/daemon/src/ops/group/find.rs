//! Finds the conversation that a caller names.

use agent_worker_protocol::{Conversation, Name, nearest::nearest};

use crate::{
    context::Cx,
    error::{OpError, Result},
    rows::{ConversationRow, WorkflowRow},
    rules::access::message,
};

/// The group of this name that the caller is in; the person may name any.
pub fn own(cx: &Cx<'_>, scope: &WorkflowRow, name: &Name) -> Result<ConversationRow> {
    let wanted = Conversation::Group(name.clone());
    if name.as_str() == Name::CHANNEL {
        let command = format!("agent-worker group list {}", scope.scope);
        return Err(OpError::invalid(format!("`{name}` is not a group: all members are in it"))
            .hint(cx.either("group_list lists the groups", &command)));
    }
    if let Some(group) = ConversationRow::find(cx.db, scope.id, &wanted)?
        && message::may_read(cx, &group)?
    {
        return Ok(group);
    }
    let known = readable(cx, scope)?;
    let names: Vec<_> =
        known.iter().filter(|g| g.name.is_group()).map(|g| g.name.to_string()).collect();
    let error = OpError::not_found(format!("no group named `{name}` in {}", scope.scope));
    Err(match nearest(name.as_str(), names.iter().map(String::as_str)) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None if names.is_empty() => error.hint(cx.either(
            "you are in no group; group_create creates one",
            &format!("agent-worker group list {}", scope.scope),
        )),
        None => error.hint(format!("groups: {}", names.join(", "))),
    })
}

/// The conversations of a scope that the caller may read: the channel, groups, those of two.
pub fn readable(cx: &Cx<'_>, scope: &WorkflowRow) -> Result<Vec<ConversationRow>> {
    let mut found = Vec::new();
    for group in ConversationRow::open(cx.db, Some(scope.id))? {
        if message::may_read(cx, &group)? {
            found.push(group);
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}
