//! Periodic work: external members that went away, time budgets, questions that expire, and rows
//! that are no longer kept.

use agent_worker_protocol::{
    run::RunKind,
    time::{Interval, Timestamp},
    workflow::WorkflowState,
};

use crate::{
    changes::{
        question,
        run::{budget, finish},
        schedule::fire,
    },
    context::cx::Cx,
    error::OpError,
    rows::{
        event, idempotency,
        run::{EndCause, RunRow},
        schedule, transcript,
        workflow::ScopeRow,
    },
    rules::{self, ending::Ended},
};

/// How many rows of a kind are removed at once, so that a send never waits long.
pub const AT_ONCE: i64 = 2000;

/// Runs whose transcripts are examined or removed at once.
pub const RUNS_AT_ONCE: i64 = 64;

/// Looks over the tables once. True if there is more to remove.
pub fn sweep(cx: &mut Cx<'_>) -> Result<bool, OpError> {
    end_forgotten_runs(cx)?;
    for scope in ScopeRow::all(cx.db)? {
        if scope.state == WorkflowState::Running {
            budget::end_over_budget(cx, scope.id)?;
        }
    }
    fire::recheck(cx)?;
    let removed =
        [forget_events(cx)?, forget_transcripts(cx)?, forget_answers(cx)?, forget_fires(cx)?];
    Ok(removed.contains(&true))
}

/// Ends the runs of workflows and the questions whose time is over, and tells when the next one's
/// will be.
pub fn end_late(cx: &mut Cx<'_>) -> Result<Option<Timestamp>, OpError> {
    let (of_runs, of_questions) = (end_late_runs(cx)?, question::expire_due(cx)?);
    Ok(of_runs.into_iter().chain(of_questions).min())
}

pub fn end_late_runs(cx: &mut Cx<'_>) -> Result<Option<Timestamp>, OpError> {
    let mut next = None;
    for scope in ScopeRow::timed(cx.db)? {
        match rules::budget::deadline(cx, &scope) {
            Some(at) if at > cx.now => next = Some(next.map_or(at, |next: Timestamp| next.min(at))),
            Some(_) => budget::end_over_budget(cx, scope.id)?,
            None => {}
        }
    }
    Ok(next)
}

/// Ends the runs of members outside that were not heard of for long; their mail waits again.
pub fn end_forgotten_runs(cx: &mut Cx<'_>) -> Result<(), OpError> {
    let idle = cx.settings.runs.external_idle;
    for run in RunRow::live(cx.db)?.into_iter().filter(|run| run.kind == RunKind::External) {
        let since = run.last_heartbeat(cx.db)?.unwrap_or(run.started_at);
        if cx.now.since(since) >= idle.duration() {
            let error = format!("no sign of life for {idle}");
            finish::finish(cx, run.id, &Ended::failed(EndCause::Lost, error))?;
        }
    }
    Ok(())
}

/// Events are kept for a time or in a number, whatever is more.
pub fn forget_events(cx: &Cx<'_>) -> Result<bool, OpError> {
    let feed = &cx.settings.feed;
    event::forget(cx.db, before(cx, feed.keep), feed.keep_events, AT_ONCE)
}

pub fn forget_transcripts(cx: &Cx<'_>) -> Result<bool, OpError> {
    transcript::forget(cx.db, before(cx, cx.settings.keep.transcripts), RUNS_AT_ONCE)
}

pub fn forget_answers(cx: &Cx<'_>) -> Result<bool, OpError> {
    idempotency::forget(cx.db, before(cx, cx.settings.keep.idempotency), AT_ONCE)
}

/// What became of due times is kept for a time; schedules that are over go with the last of it.
pub fn forget_fires(cx: &Cx<'_>) -> Result<bool, OpError> {
    schedule::forget(cx.db, before(cx, cx.settings.keep.schedules), AT_ONCE)
}

/// What is older than this is not kept.
fn before(cx: &Cx<'_>, keep: Interval) -> Timestamp {
    Timestamp(cx.now.0 - millis(keep.duration()))
}

pub fn millis(span: std::time::Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}
