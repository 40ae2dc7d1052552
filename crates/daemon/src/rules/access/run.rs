//! Which runs a caller may see, and in which one it sends.

use agent_worker_protocol::RunId;

use crate::{
    context::{Cx, Who},
    error::{OpError, Result},
    rows::{AgentRow, RunRow, run},
    rules::access::name,
};

/// The run in which a member sends: its own, or the open run of an external member.
pub fn sending_run(cx: &Cx<'_>, me: &AgentRow) -> Result<Option<RunRow>> {
    match &cx.who {
        Who::Run(run) => Ok(Some((**run).clone())),
        _ if me.works() => RunRow::open_outside(cx.db, me.id),
        _ => Ok(None),
    }
}

/// A run that the caller may know of.
pub fn visible(cx: &Cx<'_>, id: RunId) -> Result<RunRow> {
    let row = RunRow::by_id(cx.db, id)?;
    if cx.is_person() || cx.member_in(row.scope_id)?.is_some() {
        return Ok(row);
    }
    name::check(cx, row.scope_id)?;
    Err(run::missing(id))
}

/// Whether the caller may read what a run has said and done: a run reads those of its own agent
/// alone.
pub fn may_read(cx: &Cx<'_>, run: &RunRow) -> Result<bool> {
    Ok(cx.is_person() || cx.member_in(run.scope_id)?.is_some_and(|me| me.id == run.agent))
}

/// A run whose transcript the caller may read, if it is not withheld.
pub fn own(cx: &Cx<'_>, id: RunId) -> Result<RunRow> {
    let row = visible(cx, id)?;
    if may_read(cx, &row)? {
        return Ok(row);
    }
    Err(OpError::denied(format!("{id} is a run of {}", row.agent_name)))
}

/// Why the caller does not read the transcript of a run of its own. A prompt has the text of each
/// message that the run was given, so only the user reads it once one of them is hidden.
pub fn withheld(cx: &Cx<'_>, id: RunId) -> Result<Option<String>> {
    let is_withheld = !cx.is_person() && run::was_given_hidden(cx.db, id)?;
    Ok(is_withheld.then(|| {
        format!(
            "{id} was given a message that the user has hidden: only the user can read its \
             transcript"
        )
    }))
}

/// A run whose transcript the caller may read.
pub fn readable(cx: &Cx<'_>, id: RunId) -> Result<RunRow> {
    let row = own(cx, id)?;
    withheld(cx, id)?.map_or(Ok(row), |why| Err(OpError::denied(why)))
}
