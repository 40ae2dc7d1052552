//! Schedules the end of runs.

use agent_worker_protocol::{RunKind, Timestamp};

use crate::{
    changes::run::finish,
    context::Cx,
    entities::run,
    error::Result,
    rows::{EndCause, RunRow, daemon_state, question},
    rules::ending::Ended,
};

/// Has a run end at `by` with this class, unless it was to end sooner. A run that no process
/// works on ends here and now.
pub fn request_end(
    cx: &mut Cx<'_>,
    run: &RunRow,
    class: EndCause,
    error: &str,
    by: Timestamp,
) -> Result<()> {
    if run.kind == RunKind::External {
        return finish::finish(cx, run.id, &Ended::failed(class, error));
    }
    if RunRow::schedule_end(cx.db, run.id, by, class, error)? {
        run::announce(cx, run.id)?;
    }
    Ok(())
}

/// How long a run may take to end. A run that waits for a permission has nothing to do before its
/// end.
fn time_to_end(cx: &Cx<'_>, run: &RunRow, now: bool) -> Result<Timestamp> {
    let has_time = !now && !question::is_held_up(cx.db, run.id)?;
    let grace = cx.settings.runs.stop_grace.duration();
    Ok(if has_time { cx.now.after(grace) } else { cx.now })
}

/// Has the live run of an agent that was stopped end soon, or now.
pub fn end_of_agent(cx: &mut Cx<'_>, agent: i64, now: bool) -> Result<()> {
    let Some(id) = RunRow::live_of(cx.db, agent)? else { return Ok(()) };
    let run = RunRow::by_id(cx.db, id)?;
    let by = time_to_end(cx, &run, now)?;
    request_end(cx, &run, EndCause::Stopped, "the agent was stopped", by)
}

/// Has the live runs of a scope that was stopped end soon, or now.
pub fn end_of_scope(cx: &mut Cx<'_>, scope: i64, now: bool) -> Result<()> {
    for run in RunRow::live_of_scope(cx.db, scope)? {
        let by = time_to_end(cx, &run, now)?;
        request_end(cx, &run, EndCause::Stopped, "the workflow was stopped", by)?;
    }
    Ok(())
}

/// Lets the live run of an agent go on that a stop would end, unless its end has begun, or the
/// daemon stops: then the run would have no end, and its mail is handled after the next start.
pub fn take_back_stop(cx: &mut Cx<'_>, agent: i64) -> Result<()> {
    if daemon_state::is_stopping(cx.db)? {
        return Ok(());
    }
    let Some(id) = RunRow::live_of(cx.db, agent)? else { return Ok(()) };
    if RunRow::unschedule_stop(cx.db, id)? {
        run::announce(cx, id)?;
    }
    Ok(())
}

/// Has all live runs end soon, because the daemon does.
pub fn request_end_of_all(cx: &mut Cx<'_>) -> Result<()> {
    daemon_state::note_stopping(cx.db)?;
    for run in RunRow::live(cx.db)?.into_iter().filter(|run| run.kind != RunKind::External) {
        let by = time_to_end(cx, &run, false)?;
        request_end(cx, &run, EndCause::Lost, "the daemon was stopped", by)?;
    }
    Ok(())
}
