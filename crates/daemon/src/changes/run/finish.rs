//! The end of a run: what becomes of its mail, its answer and its agent, in one transaction.

use std::{collections::BTreeMap, time::Duration};

use agent_worker_protocol::{id::RunId, inbox::DeliveryState, run::RunState, time::Timestamp};
use rusqlite::params;

use crate::{
    changes::{
        agent::state,
        message::{conversation, post},
        question,
        run::reply,
    },
    context::cx::Cx,
    entities::run,
    error::OpError,
    rows::{
        agent::AgentRow,
        delivery::{self, DeliveryRow},
        run::{EndCause, RunRow},
        transcript,
        word::Word,
        workflow::ScopeRow,
    },
    rules::{
        ending::{Ended, Failure},
        retry,
    },
};

/// Decides the end of a run: its token is dead from here on, while its processes are ended.
/// The first decision stands.
pub fn begin_end(cx: &mut Cx<'_>, id: RunId, failure: &Failure) -> Result<(), OpError> {
    let sql = "UPDATE runs SET state = 'ending', end_class = ?2, end_error = ?3, retry_after = ?4
               WHERE id = ?1 AND state IN ('starting', 'running')";
    let changed = cx.conn.prepare_cached(sql)?.execute(params![
        id.number(),
        Word(failure.class),
        failure.error,
        failure.retry_after
    ])?;
    if changed > 0 {
        let row = run::announce(cx, id)?;
        if row.is_silent {
            cx.touch_attention(row.scope_id);
        }
        question::leave_of_run(cx, id)?;
    }
    Ok(())
}

/// Ends a run. An ended run stays as it is.
pub fn finish(cx: &mut Cx<'_>, id: RunId, ended: &Ended) -> Result<(), OpError> {
    let row = RunRow::by_id(cx.db, id)?;
    if !row.state.is_live() {
        return Ok(());
    }
    let failure = decided(cx, &row)?.or_else(|| ended.failure.clone());
    let mail = delivery::leased(cx.db, id.number())?;
    let agent = AgentRow::by_id(cx.db, row.agent)?;
    transcript::cut_open(cx.db, id, cx.now)?;
    question::leave_of_run(cx, id)?;
    if failure.is_none() {
        note_read(cx, &agent, &mail)?;
        if ended.is_silent() {
            reply::post_silence(cx, &row, &agent)?;
        } else {
            reply::post_answer(cx, &row, &agent, &ended.text)?;
        }
    }
    close_row(cx, &row, ended, failure.as_ref())?;
    match &failure {
        None => succeed(cx, &row, &agent, mail)?,
        Some(failure) => fail(cx, &row, &agent, mail, failure, ended.jitter)?,
    }
    state::set_label(cx, row.agent, None, None)?;
    cx.judge(row.scope_id);
    run::announce(cx, id)?;
    Ok(())
}

/// An agent has read what its run is done with, in each conversation.
pub fn note_read(cx: &Cx<'_>, agent: &AgentRow, mail: &[DeliveryRow]) -> Result<(), OpError> {
    let mut newest = BTreeMap::new();
    for row in mail {
        let seq = newest.entry(row.group_id).or_insert(row.seq);
        *seq = row.seq.max(*seq);
    }
    for (group, seq) in newest {
        conversation::has_read(cx, group, agent.id, seq)?;
    }
    Ok(())
}

/// What was decided when the run began to end.
pub fn decided(cx: &Cx<'_>, row: &RunRow) -> Result<Option<Failure>, OpError> {
    if row.state != RunState::Ending {
        return Ok(None);
    }
    let retry_after = cx
        .conn
        .prepare_cached("SELECT retry_after FROM runs WHERE id = ?1")?
        .query_row([row.id.number()], |found| found.get(0))?;
    Ok(row.end_class.map(|class| Failure {
        class,
        error: row.end_error.clone().unwrap_or_default(),
        retry_after,
    }))
}

pub fn close_row(
    cx: &mut Cx<'_>,
    row: &RunRow,
    ended: &Ended,
    failure: Option<&Failure>,
) -> Result<(), OpError> {
    let state = failure.map_or(RunState::Succeeded, |failure| failure.class.state());
    let sql = "UPDATE runs SET state = ?2, class = ?3, error = ?4, result = ?5, exit = ?6,
                   signal = ?7, stderr = ?8, ended_at = ?9, activity = NULL, away = NULL,
                   end_by = NULL, is_silent = 0
               WHERE id = ?1";
    cx.conn.prepare_cached(sql)?.execute(params![
        row.id.number(),
        Word(state),
        failure.map(|failure| Word(failure.class.class())),
        failure.map(|failure| &failure.error),
        (failure.is_none() && !ended.is_silent()).then_some(&ended.text),
        ended.exit,
        ended.signal,
        ended.stderr,
        cx.now.0
    ])?;
    cx.touch_agent(row.agent);
    if row.is_silent {
        cx.touch_attention(row.scope_id);
    }
    Ok(())
}

pub fn succeed(
    cx: &mut Cx<'_>,
    row: &RunRow,
    agent: &AgentRow,
    mail: Vec<DeliveryRow>,
) -> Result<(), OpError> {
    for mut delivery in mail {
        delivery.go(DeliveryState::Acked)?;
        delivery.save(cx, agent)?;
    }
    cx.conn
        .prepare_cached(
            "UPDATE agents SET unavailable_since = NULL, unavailable_count = 0 WHERE id = ?1",
        )?
        .execute([row.agent])?;
    Ok(())
}

pub fn fail(
    cx: &mut Cx<'_>,
    row: &RunRow,
    agent: &AgentRow,
    mail: Vec<DeliveryRow>,
    failure: &Failure,
    jitter: f64,
) -> Result<(), OpError> {
    if agent.removed {
        return drop_all(cx, agent, mail);
    }
    let class = retry::after_overflow(cx, row, failure.class)?;
    let mut dead = Vec::new();
    for mut delivery in mail {
        retry::send_on(cx, row, &mut delivery, class, failure, jitter)?;
        delivery.save(cx, agent)?;
        if delivery.state == DeliveryState::Dead {
            dead.push(delivery);
        }
    }
    for delivery in dead {
        tell_of_dead(cx, agent, &delivery)?;
    }
    match class {
        EndCause::Permanent => state::pause(cx, row.agent, &failure.error),
        EndCause::Unavailable => back_off(cx, agent, failure),
        EndCause::Transient | EndCause::TimedOut => check_crash_loop(cx, row, agent),
        _ => Ok(()),
    }
}

/// Drops what a run had whose agent was removed meanwhile.
pub fn drop_all(cx: &mut Cx<'_>, agent: &AgentRow, mail: Vec<DeliveryRow>) -> Result<(), OpError> {
    for mut delivery in mail {
        delivery.go(DeliveryState::Dropped)?;
        delivery.save(cx, agent)?;
    }
    Ok(())
}

pub fn tell_of_dead(
    cx: &mut Cx<'_>,
    agent: &AgentRow,
    delivery: &DeliveryRow,
) -> Result<(), OpError> {
    let scope = ScopeRow::by_id(cx.db, agent.scope_id)?;
    let attempts = match delivery.attempts {
        1 => "1 attempt".to_owned(),
        many => format!("{many} attempts"),
    };
    let error = delivery.last_error.as_deref().unwrap_or("it failed");
    let text = format!(
        "msg_{seq} to {name} was given up after {attempts}: {error}. \
         agent-worker retry msg_{seq} tries it again, agent-worker drop msg_{seq} lets it be.",
        seq = delivery.seq,
        name = agent.name,
    );
    post::say(cx, &scope, &text)
}

/// The agent's model is away: the agent waits, its mail loses nothing.
pub fn back_off(cx: &mut Cx<'_>, agent: &AgentRow, failure: &Failure) -> Result<(), OpError> {
    let runs = &cx.settings.runs;
    let sql = "SELECT unavailable_since, unavailable_count FROM agents WHERE id = ?1";
    let (since, count): (Option<i64>, i64) =
        cx.conn.prepare_cached(sql)?.query_row([agent.id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let since = since.unwrap_or(cx.now.0);
    if cx.now.since(Timestamp(since)) >= runs.unavailable_pause.duration() {
        let reason = format!(
            "its model was away for {}: {}; agent-worker resume {} tries again",
            runs.unavailable_pause,
            failure.error,
            agent.target()
        );
        return state::pause(cx, agent.id, &reason);
    }
    let doubled =
        runs.unavailable_delay.duration() * 2_u32.pow(u32::try_from(count.min(20)).unwrap_or(0));
    let delay = match failure.retry_after.and_then(|ms| u64::try_from(ms).ok()) {
        // What lies farther ahead is taken for a time of another clock.
        Some(told) => Duration::from_millis(told).min(cx.settings.longest_backoff()),
        None => doubled.min(runs.unavailable_max.duration()),
    };
    let sql = "UPDATE agents SET not_before = ?2, unavailable_since = ?3, unavailable_count = ?4
               WHERE id = ?1";
    cx.conn.prepare_cached(sql)?.execute(params![
        agent.id,
        cx.now.after(delay).0,
        since,
        count + 1
    ])?;
    cx.touch_agent(agent.id);
    Ok(())
}

/// Pauses an agent whose runs fail again and again.
pub fn check_crash_loop(cx: &mut Cx<'_>, row: &RunRow, agent: &AgentRow) -> Result<(), OpError> {
    let runs = &cx.settings.runs;
    let most = runs.crash_loop_runs;
    let sql = "SELECT count(*) FROM (
                   SELECT id, class, ended_at FROM runs WHERE agent = ?1 ORDER BY id DESC LIMIT 200)
               WHERE class IN ('transient', 'timed_out') AND ended_at > ?2
                 AND id > coalesce((SELECT forgiven_run FROM agents WHERE id = ?1), 0)";
    let window = i64::try_from(runs.crash_loop_window.duration().as_millis()).unwrap_or(i64::MAX);
    let failed: i64 = cx
        .conn
        .prepare_cached(sql)?
        .query_row(params![agent.id, cx.now.0 - window], |found| found.get(0))?;
    if failed <= most {
        return Ok(());
    }
    let reason = format!(
        "crash loop: {failed} failed runs in {}; agent-worker logs {} shows the last, \
         agent-worker resume {} tries again",
        runs.crash_loop_window,
        row.id,
        agent.target()
    );
    state::pause(cx, agent.id, &reason)
}
