//! Finds the conversation that a caller names.

use agent_worker_protocol::{conversation::Conversation, name::Name, nearest::nearest};
use rusqlite::{OptionalExtension, params};

use crate::{
    context::cx::Cx,
    error::OpError,
    rows::{conversation::GroupRow, workflow::ScopeRow},
    rules::access::message,
};

/// The group of this name that the caller is in; the person may name any.
pub fn own(cx: &Cx<'_>, scope: &ScopeRow, name: &Name) -> Result<GroupRow, OpError> {
    let wanted = Conversation::Group(name.clone());
    if let Some(group) = GroupRow::find(cx.db, scope.id, &wanted)?
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
        None if names.is_empty() => error.hint(
            cx.either("you are in no group; group_create makes one", "agent-worker group list"),
        ),
        None => error.hint(format!("groups: {}", names.join(", "))),
    })
}

/// The conversations of a scope that the caller may read: the channel, groups, those of two.
pub fn readable(cx: &Cx<'_>, scope: &ScopeRow) -> Result<Vec<GroupRow>, OpError> {
    let sql = "SELECT id FROM groups WHERE scope = ?1 AND closed_at IS NULL";
    let mut statement = cx.conn.prepare_cached(sql)?;
    let ids =
        statement.query_map([scope.id], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
    let mut found = Vec::new();
    for id in ids {
        let group = GroupRow::by_id(cx.db, id)?;
        if message::may_read(cx, &group)? {
            found.push(group);
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

/// How far a member has read a conversation: a message's number, and how many came since.
pub fn cursor(cx: &Cx<'_>, group: &GroupRow, member: i64) -> Result<Option<(i64, i64)>, OpError> {
    let sql = "SELECT last_read_seq, read_messages FROM group_members
               WHERE group_id = ?1 AND agent = ?2 AND left_at IS NULL";
    let found = cx
        .conn
        .prepare_cached(sql)?
        .query_row(params![group.id, member], |row| {
            Ok((row.get(0)?, group.messages - row.get::<_, i64>(1)?))
        })
        .optional()?;
    Ok(found)
}
