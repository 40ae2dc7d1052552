//! What is done from time to time: members outside that went away, budgets of time, and rows that
//! are no longer kept.

use agent_worker_protocol::{run::RunKind, time::Timestamp, workflow::WorkflowState};
use rusqlite::params;

use super::{
    Cx, OpError, budget,
    finish::{self, Ended},
    run::{EndClass, RunRow},
    workflow::ScopeRow,
};

/// How many rows of a kind are removed at once, so that a send never waits long.
const AT_ONCE: i64 = 2000;

/// Looks over the tables once.
pub fn sweep(cx: &mut Cx<'_>) -> Result<(), OpError> {
    end_forgotten_runs(cx)?;
    for scope in ScopeRow::all(cx.conn)? {
        if scope.state == WorkflowState::Running {
            budget::end_over_budget(cx, scope.id)?;
        }
    }
    forget_events(cx)?;
    forget_transcripts(cx)?;
    forget_answers(cx)
}

/// Ends the runs of workflows whose time is over, and tells when the next one's will be.
pub fn end_late(cx: &mut Cx<'_>) -> Result<Option<Timestamp>, OpError> {
    let sql = "SELECT id FROM workflows
               WHERE running_since IS NOT NULL AND limits ->> '$.duration' IS NOT NULL";
    let ids: Vec<i64> = {
        let mut statement = cx.conn.prepare_cached(sql)?;
        statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?
    };
    let mut next = None;
    for id in ids {
        match budget::deadline(cx, &ScopeRow::by_id(cx.conn, id)?) {
            Some(at) if at > cx.now => next = Some(next.map_or(at, |next: Timestamp| next.min(at))),
            Some(_) => budget::end_over_budget(cx, id)?,
            None => {}
        }
    }
    Ok(next)
}

/// Ends the runs of members outside that were not heard of for long; their mail waits again.
fn end_forgotten_runs(cx: &mut Cx<'_>) -> Result<(), OpError> {
    let idle = cx.settings.runs.external_idle;
    for run in RunRow::live(cx.conn)?.into_iter().filter(|run| run.kind == RunKind::External) {
        let heard: Option<i64> = cx
            .conn
            .prepare_cached("SELECT last_heartbeat FROM runs WHERE id = ?1")?
            .query_row([run.id.number()], |row| row.get(0))?;
        let since = heard.map_or(run.started_at, Timestamp);
        if cx.now.since(since) >= idle.duration() {
            let error = format!("not heard of for {idle}");
            finish::finish(cx, run.id, &Ended::failed(EndClass::Lost, error))?;
        }
    }
    Ok(())
}

/// Events are kept for a time or in a number, whatever is more.
fn forget_events(cx: &Cx<'_>) -> Result<(), OpError> {
    let feed = &cx.settings.feed;
    let sql = "DELETE FROM events WHERE seq IN (
                   SELECT seq FROM events
                   WHERE at < ?1 AND seq <= (SELECT max(seq) FROM events) - ?2
                   ORDER BY seq LIMIT ?3)";
    let before = cx.now.0 - millis(feed.keep.duration());
    cx.conn.prepare_cached(sql)?.execute(params![before, feed.keep_events, AT_ONCE])?;
    Ok(())
}

fn forget_transcripts(cx: &Cx<'_>) -> Result<(), OpError> {
    let sql = "DELETE FROM run_output WHERE rowid IN (
                   SELECT o.rowid FROM run_output AS o JOIN runs AS r ON r.id = o.run
                   WHERE r.ended_at < ?1 LIMIT ?2)";
    let before = cx.now.0 - millis(cx.settings.keep.transcripts.duration());
    cx.conn.prepare_cached(sql)?.execute([before, AT_ONCE])?;
    Ok(())
}

fn forget_answers(cx: &Cx<'_>) -> Result<(), OpError> {
    let sql = "DELETE FROM idempotency WHERE (principal, key) IN (
                   SELECT principal, key FROM idempotency WHERE created_at < ?1 LIMIT ?2)";
    let before = cx.now.0 - millis(cx.settings.keep.idempotency.duration());
    cx.conn.prepare_cached(sql)?.execute([before, AT_ONCE])?;
    Ok(())
}

fn millis(span: std::time::Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}
