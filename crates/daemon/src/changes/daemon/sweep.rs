//! Periodic work: external members that went away, time budgets, questions that expire, and rows
//! that are no longer kept.

use std::time::Duration;

use agent_worker_protocol::{Interval, RunKind, Timestamp, WorkflowState};

use crate::{
    changes::{
        question,
        run::{budget, finish},
        schedule::fire,
    },
    clock::AHEAD,
    context::Cx,
    error::Result,
    rows::{
        EndCause, RunRow, WorkflowRow, browser, daemon_state, event, idempotency, schedule,
        transcript,
    },
    rules::{self, ending::Ended},
};

/// How many rows of a kind are removed at once, so that a send never waits long.
const AT_ONCE: i64 = 2000;

/// Runs whose transcripts are examined or removed at once.
const RUNS_AT_ONCE: i64 = 64;

/// How often the daemon notes that it is there, while a workflow works whose time is limited.
const ALIVE_EVERY: Duration = Duration::from_secs(5);

/// Looks over the tables once. True if there is more to remove.
pub fn sweep(cx: &mut Cx<'_>) -> Result<bool> {
    end_forgotten_runs(cx)?;
    for scope in WorkflowRow::all(cx.db)? {
        if scope.state == WorkflowState::Running {
            budget::end_over_budget(cx, scope.id)?;
        }
    }
    fire::recheck(cx)?;
    forget(cx)
}

/// Ends the runs of workflows and the questions whose time is over, and tells when the next one's
/// will be.
pub fn end_late(cx: &mut Cx<'_>) -> Result<Option<Timestamp>> {
    let (of_runs, of_questions) = (end_late_runs(cx)?, question::expire_due(cx)?);
    Ok(of_runs.into_iter().chain(of_questions).min())
}

fn end_late_runs(cx: &mut Cx<'_>) -> Result<Option<Timestamp>> {
    let timed = WorkflowRow::timed(cx.db)?;
    let mut next = if timed.is_empty() { None } else { Some(note_alive(cx)?) };
    for scope in timed {
        match rules::budget::deadline(cx, &scope) {
            Some(at) if at > cx.now => next = Some(next.map_or(at, |next: Timestamp| next.min(at))),
            Some(_) => {
                budget::end_over_budget(cx, scope.id)?;
            }
            None => {}
        }
    }
    Ok(next)
}

/// Notes now and then that the daemon is there, so that a crash takes little from the time that a
/// workflow has used. Tells when it is due again.
fn note_alive(cx: &Cx<'_>) -> Result<Timestamp> {
    let noted = daemon_state::alive_at(cx.db)?.filter(|noted| *noted <= cx.now);
    let due = noted.map_or(cx.now, |noted| noted.after(ALIVE_EVERY));
    if due > cx.now {
        return Ok(due);
    }
    daemon_state::note_alive(cx.db, cx.now)?;
    Ok(cx.now.after(ALIVE_EVERY))
}

/// Ends the runs of members outside that were not heard of for long; their mail waits again.
fn end_forgotten_runs(cx: &mut Cx<'_>) -> Result<()> {
    let idle = cx.settings.runs.external_idle;
    for run in RunRow::live(cx.db)?.into_iter().filter(|run| run.kind == RunKind::External) {
        let since = run.last_heartbeat(cx.db)?.unwrap_or(run.started_at);
        if since > cx.now.after(AHEAD) {
            // The clock was set back since: its time begins anew.
            run.note_heartbeat(cx.db, cx.now)?;
        } else if cx.now.since(since) >= idle.duration() {
            let error = format!("no sign of life for {idle}");
            finish::finish(cx, run.id, &Ended::failed(EndCause::Lost, error))?;
        }
    }
    Ok(())
}

/// Removes what is no longer kept. True if there is more.
fn forget(cx: &Cx<'_>) -> Result<bool> {
    let (feed, keep) = (&cx.settings.feed, &cx.settings.keep);
    let before = |kept: Interval| cx.now.before(kept.duration());
    let time = |kept: Interval| before(kept)..=cx.now.after(AHEAD);
    let has_more = [
        event::forget(cx.db, time(feed.keep), feed.keep_events, AT_ONCE)?,
        transcript::forget(cx.db, &time(keep.transcripts), RUNS_AT_ONCE)?,
        idempotency::forget(cx.db, before(keep.idempotency), AT_ONCE)?,
        schedule::forget(cx.db, before(keep.schedules), AT_ONCE)?,
        browser::forget(cx.db, before(keep.browsers))?,
    ];
    Ok(has_more.contains(&true))
}
