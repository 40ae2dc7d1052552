//! Periodic work: external members that went away, time budgets, questions that expire, and rows
//! that are no longer kept.

use agent_worker_protocol::{run::RunKind, time::Timestamp, workflow::WorkflowState};

use crate::{
    changes::{
        question,
        run::{budget, finish},
        schedule::fire,
    },
    context::cx::Cx,
    error::OpError,
    rows::{
        run::{EndCause, RunRow},
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
    let sql = "SELECT id FROM workflows
               WHERE running_since IS NOT NULL AND limits ->> '$.duration' IS NOT NULL";
    let ids: Vec<i64> = {
        let mut statement = cx.conn.prepare_cached(sql)?;
        statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?
    };
    let mut next = None;
    for id in ids {
        match rules::budget::deadline(cx, &ScopeRow::by_id(cx.db, id)?) {
            Some(at) if at > cx.now => next = Some(next.map_or(at, |next: Timestamp| next.min(at))),
            Some(_) => budget::end_over_budget(cx, id)?,
            None => {}
        }
    }
    Ok(next)
}

/// Ends the runs of members outside that were not heard of for long; their mail waits again.
pub fn end_forgotten_runs(cx: &mut Cx<'_>) -> Result<(), OpError> {
    let idle = cx.settings.runs.external_idle;
    for run in RunRow::live(cx.db)?.into_iter().filter(|run| run.kind == RunKind::External) {
        let heard: Option<i64> = cx
            .conn
            .prepare_cached("SELECT last_heartbeat FROM runs WHERE id = ?1")?
            .query_row([run.id.number()], |row| row.get(0))?;
        let since = heard.map_or(run.started_at, Timestamp);
        if cx.now.since(since) >= idle.duration() {
            let error = format!("no sign of life for {idle}");
            finish::finish(cx, run.id, &Ended::failed(EndCause::Lost, error))?;
        }
    }
    Ok(())
}

/// Events are kept for a time or in a number, whatever is more. They go from the first one on:
/// times are no order, and what is kept has no gap.
pub fn forget_events(cx: &Cx<'_>) -> Result<bool, OpError> {
    let feed = &cx.settings.feed;
    let before = cx.now.0 - millis(feed.keep.duration());
    let sql = "SELECT min(seq) AS first, max(seq) - ?2 + 1 AS of_number,
                   (SELECT seq FROM events WHERE at >= ?1 ORDER BY seq LIMIT 1) AS of_time
               FROM events";
    let (first, of_number, of_time): (Option<i64>, Option<i64>, Option<i64>) = cx
        .conn
        .prepare_cached(sql)?
        .query_row([before, feed.keep_events], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let (Some(first), Some(of_number)) = (first, of_number) else { return Ok(false) };
    let until = of_number.min(of_time.unwrap_or(of_number));
    let part = until.min(first + AT_ONCE);
    cx.conn.prepare_cached("DELETE FROM events WHERE seq < ?1")?.execute([part])?;
    Ok(part < until)
}

/// Transcripts go whole. Runs end about in the order of their numbers, so the first ones that
/// still have a transcript are looked at.
pub fn forget_transcripts(cx: &Cx<'_>) -> Result<bool, OpError> {
    let sql = "DELETE FROM run_output WHERE run IN (
                   SELECT r.id FROM (SELECT DISTINCT run FROM run_output ORDER BY run LIMIT ?2) AS o
                   JOIN runs AS r ON r.id = o.run WHERE r.ended_at < ?1)";
    let before = cx.now.0 - millis(cx.settings.keep.transcripts.duration());
    Ok(cx.conn.prepare_cached(sql)?.execute([before, RUNS_AT_ONCE])? > 0)
}

pub fn forget_answers(cx: &Cx<'_>) -> Result<bool, OpError> {
    let sql = "DELETE FROM idempotency WHERE (principal, key) IN (
                   SELECT principal, key FROM idempotency WHERE created_at < ?1 LIMIT ?2)";
    let before = cx.now.0 - millis(cx.settings.keep.idempotency.duration());
    Ok(cx.conn.prepare_cached(sql)?.execute([before, AT_ONCE])? > 0)
}

/// What became of due times is kept for a time; schedules that are over go with the last of it.
pub fn forget_fires(cx: &Cx<'_>) -> Result<bool, OpError> {
    let before = cx.now.0 - millis(cx.settings.keep.schedules.duration());
    let sql = "DELETE FROM schedule_fires WHERE (schedule, due_at) IN (
                   SELECT f.schedule, f.due_at FROM schedules AS s JOIN schedule_fires AS f
                       ON f.schedule = s.id AND f.due_at < ?1 LIMIT ?2)";
    let removed = cx.conn.prepare_cached(sql)?.execute([before, AT_ONCE])?;
    let sql = "DELETE FROM schedules AS s WHERE s.state = 'completed' AND s.created_at < ?1
               AND NOT EXISTS (SELECT 1 FROM schedule_fires AS f WHERE f.schedule = s.id)";
    cx.conn.prepare_cached(sql)?.execute([before])?;
    Ok(removed > 0)
}

pub fn millis(span: std::time::Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}
