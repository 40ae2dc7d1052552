//! Removing a scope with everything in it, and archiving one under another tag.

use std::collections::BTreeSet;

use agent_worker_protocol::{EventBody, Scope, Tag, Workflow};

use crate::{
    changes::{
        agent::state,
        document,
        message::{cursor, delivery},
        proposal::close,
        question,
        schedule::change,
    },
    context::Cx,
    entities::snapshot,
    error::{OpError, Result},
    rows::{self, AgentRow, ConversationRow, RunRow, WorkflowRow, workflow},
    rules::edges::PUT_AWAY,
};

/// Removes a scope that is not live.
pub fn purge(cx: &mut Cx<'_>, row: &WorkflowRow) -> Result<Workflow> {
    let live = RunRow::live_of_scope(cx.db, row.id)?;
    if row.state.is_live() || !live.is_empty() {
        let (is, now) = if row.state.is_live() {
            (workflow::word(row.state), "")
        } else {
            ("ending its runs", " --now")
        };
        let text = format!("{} is {is}: it can be removed when it has ended", row.scope);
        return Err(OpError::conflict(text).hint(format!("agent-worker stop {}{now}", row.scope)));
    }
    let last = row.entity(cx.db)?;
    row.remove(cx.db)?;
    cx.emit(&row.scope, EventBody::WorkflowRemoved { scope: row.scope.clone() })?;
    Ok(last)
}

/// Gives a scope that is not live another tag, so that its name is free, and returns the new
/// address. An archived scope needs no attention and does no work.
pub fn archive(cx: &mut Cx<'_>, row: &WorkflowRow) -> Result<Scope> {
    row.archive(cx.db)?;
    // While it still has its name: later events bear the new one.
    for member in AgentRow::of_scope(cx.db, row.id)? {
        put_to_rest(cx, &member)?;
    }
    close::cancel_open(cx, row.id)?;
    change::complete_of_scope(cx, row.id)?;
    question::close_of_scope(cx, row.id, PUT_AWAY)?;
    row.set_tag(cx.db, &free_tag(cx, &row.scope)?)?;
    cx.emit(&row.scope, EventBody::WorkflowRemoved { scope: row.scope.clone() })?;
    let archived = WorkflowRow::by_id(cx.db, row.id)?;
    cx.touch_scope(row.id);
    document::announce_all(cx, &archived)?;
    for group in snapshot::groups(cx.db, Some(row.id))? {
        cx.emit(&archived.scope, EventBody::GroupChanged(group))?;
    }
    for run in snapshot::runs_of_scope(cx.db, row.id)?.into_iter().rev() {
        cx.emit_of_run(&archived.scope, Some(run.id), EventBody::RunChanged(Box::new(run)))?;
    }
    cx.touch_attention(row.id);
    Ok(archived.scope)
}

/// Drops all mail of an agent and stops it; counts all mail of the person as read.
pub fn put_to_rest(cx: &mut Cx<'_>, member: &AgentRow) -> Result<()> {
    if member.works() {
        delivery::drop_open(cx, member.id, PUT_AWAY)?;
        return state::set_stopped(cx, member);
    }
    let open = rows::delivery::open(cx.db, member.id, u32::MAX)?;
    for group in open.iter().map(|mail| mail.group_id).collect::<BTreeSet<_>>() {
        let group = ConversationRow::by_id(cx.db, group)?;
        let newest = group.said(cx.db)?.last_seq;
        cursor::move_cursor(cx, &group, member, newest)?;
    }
    cx.touch_agent(member.id);
    Ok(())
}

/// The first of `main.old-1`, `main.old-2` … that is free.
fn free_tag(cx: &Cx<'_>, scope: &Scope) -> Result<Tag> {
    let mut number: u64 = 1;
    loop {
        let suffix = format!(".old-{number}");
        let kept = scope.tag.as_str().len().min(64 - suffix.len());
        let tag: Tag = format!("{}{suffix}", scope.tag.as_str()[..kept].trim_end_matches('.'))
            .parse()
            .map_err(|bad| OpError::Broken(format!("an archive's tag: {bad}")))?;
        let candidate = Scope { workflow: scope.workflow.clone(), tag: tag.clone() };
        if WorkflowRow::find(cx.db, &candidate)?.is_none() {
            return Ok(tag);
        }
        number += 1;
    }
}
