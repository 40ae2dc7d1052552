//! The end of a run: what becomes of its mail, its answer and its agent, in one transaction.

use std::{collections::BTreeMap, time::Duration};

use agent_worker_protocol::{DeliveryState, RunId, RunState};

use crate::{
    changes::{
        agent::state,
        message::{delivery::change_all, post},
        question,
        run::reply,
    },
    clock::AHEAD,
    context::Cx,
    entities::run,
    error::Result,
    rows::{
        AgentRow, ConversationRow, DeliveryRow, EndCause, RunRow, WorkflowRow, conversation,
        delivery,
        run::{Close, failures_since},
        transcript,
    },
    rules::{
        blocker::counted,
        edges::REMOVED,
        ending::{Ended, Failure},
        retry,
    },
};

/// Decides the end of a run: its token is dead from here on, while its processes are ended.
/// The first decision stands.
pub fn begin_end(cx: &mut Cx<'_>, id: RunId, failure: &Failure) -> Result<()> {
    if RunRow::begin_end(cx.db, id, failure.class, &failure.error, failure.retry_after)? {
        let row = run::announce(cx, id)?;
        if row.is_silent {
            cx.touch_attention(row.scope_id);
        }
        question::leave_of_run(cx, id)?;
    }
    Ok(())
}

/// Ends a run. An ended run stays as it is.
pub fn finish(cx: &mut Cx<'_>, id: RunId, ended: &Ended) -> Result<()> {
    let mut row = RunRow::by_id(cx.db, id)?;
    if !row.state.is_live() {
        return Ok(());
    }
    let failure = decided(cx, &row)?.or_else(|| ended.failure.clone());
    let mail = delivery::leased(cx.db, id.number())?;
    let agent = AgentRow::by_id(cx.db, row.agent)?;
    transcript::cut_open(cx.db, id, ended.at.unwrap_or(cx.now))?;
    question::leave_of_run(cx, id)?;
    if failure.is_none() {
        note_read(cx, &agent, &mail)?;
        if ended.is_silent() {
            reply::post_silence(cx, &row, &agent)?;
        } else {
            reply::post_answer(cx, &row, &agent, &ended.text)?;
        }
    }
    close_row(cx, &mut row, ended, failure.as_ref())?;
    match &failure {
        None => succeed(cx, &agent, mail)?,
        Some(failure) => fail(cx, &row, &agent, mail, failure, ended.jitter)?,
    }
    state::set_label(cx, row.agent, None, None)?;
    cx.judge(row.scope_id);
    run::announce_row(cx, &row)
}

/// An agent has read what its run is done with, in each conversation.
pub fn note_read(cx: &Cx<'_>, agent: &AgentRow, mail: &[DeliveryRow]) -> Result<()> {
    let mut newest = BTreeMap::new();
    for row in mail {
        let seq = newest.entry(row.group_id).or_insert(row.seq);
        *seq = row.seq.max(*seq);
    }
    for (group, seq) in newest {
        conversation::has_read(cx.db, group, agent.id, seq)?;
    }
    Ok(())
}

/// What was decided when the run began to end.
fn decided(cx: &Cx<'_>, row: &RunRow) -> Result<Option<Failure>> {
    if row.state != RunState::Ending {
        return Ok(None);
    }
    let retry_after = row.retry_after(cx.db)?;
    Ok(row.end_class.map(|class| Failure {
        class,
        error: row.end_error.clone().unwrap_or_default(),
        retry_after,
    }))
}

fn close_row(
    cx: &mut Cx<'_>,
    row: &mut RunRow,
    ended: &Ended,
    failure: Option<&Failure>,
) -> Result<()> {
    let has_result = failure.is_none() && !ended.is_silent();
    let end = Close {
        state: failure.map_or(RunState::Succeeded, |failure| failure.class.state()),
        class: failure.map(|failure| failure.class.class()),
        error: failure.map(|failure| failure.error.as_str()),
        result: has_result.then_some(&ended.text),
        exit: ended.exit,
        signal: ended.signal,
        stderr: ended.stderr.as_deref(),
        retry_after: failure.and_then(|failure| failure.retry_after),
    };
    let was_silent = row.is_silent;
    row.close(cx.db, &end, ended.at.unwrap_or(cx.now))?;
    cx.touch_agent(row.agent);
    if was_silent {
        cx.touch_attention(row.scope_id);
    }
    Ok(())
}

fn succeed(cx: &mut Cx<'_>, agent: &AgentRow, mail: Vec<DeliveryRow>) -> Result<()> {
    change_all(cx, agent, mail, |delivery| delivery.go(DeliveryState::Acked))?;
    agent.clear_unavailable(cx.db)
}

fn fail(
    cx: &mut Cx<'_>,
    row: &RunRow,
    agent: &AgentRow,
    mail: Vec<DeliveryRow>,
    failure: &Failure,
    jitter: f64,
) -> Result<()> {
    // Its agent was removed meanwhile.
    if agent.removed {
        return change_all(cx, agent, mail, |delivery| delivery.discard(REMOVED));
    }
    let class = retry::after_overflow(cx, row, failure.class)?;
    let mut dead = Vec::new();
    for mut delivery in mail {
        if has_left(cx, agent, delivery.group_id)? {
            delivery.go(DeliveryState::Dropped)?;
        } else {
            retry::send_on(cx, row, &mut delivery, class, failure, jitter)?;
        }
        delivery.save(cx, agent)?;
        if delivery.state == DeliveryState::Dead {
            dead.push(delivery);
        }
    }
    for delivery in dead {
        tell_of_dead(cx, agent, &delivery)?;
    }
    match class {
        EndCause::Unavailable | EndCause::Lost | EndCause::Cancelled | EndCause::Stopped => {}
        // Its model was there.
        _ => agent.clear_unavailable(cx.db)?,
    }
    match class {
        EndCause::Permanent => state::pause(cx, row.agent, &failure.error),
        EndCause::Unavailable => back_off(cx, row, agent, failure),
        EndCause::Transient | EndCause::TimedOut => check_crash_loop(cx, row, agent),
        _ => Ok(()),
    }
}

/// Whether an agent has left this group: its other mail of the group was dropped then.
fn has_left(cx: &Cx<'_>, agent: &AgentRow, group: i64) -> Result<bool> {
    let group = ConversationRow::by_id(cx.db, group)?;
    Ok(group.name.is_group() && !group.is_open_to(cx.db, agent)?)
}

fn tell_of_dead(cx: &mut Cx<'_>, agent: &AgentRow, delivery: &DeliveryRow) -> Result<()> {
    let scope = WorkflowRow::by_id(cx.db, agent.scope_id)?;
    let attempts = counted(delivery.attempts, "attempt");
    let error = delivery.last_error.as_deref().unwrap_or("it failed");
    let (seq, name) = (delivery.seq, &agent.name);
    // What wakes no one waits for a run, also when it is retried.
    let again = if delivery.wakes {
        "tries it again".to_owned()
    } else {
        format!("gives it to the next run of {name}")
    };
    let text = format!(
        "msg_{seq} to {name} is a dead letter after {attempts}: {error}. \
         `agent-worker retry msg_{seq}` {again}, `agent-worker drop msg_{seq}` discards it."
    );
    post::say(cx, &scope, &text)
}

/// The agent's model is away, or something else that it needs: it waits, its mail loses nothing.
fn back_off(cx: &mut Cx<'_>, row: &RunRow, agent: &AgentRow, failure: &Failure) -> Result<()> {
    let runs = &cx.settings.runs;
    let (since, count) = match agent.unavailable(cx.db)? {
        (Some(_), count) if has_rested(cx, row, count)? => (None, 0),
        known => known,
    };
    let since = since.unwrap_or(cx.now);
    if cx.now.since(since) >= runs.unavailable_pause.duration() {
        let reason = format!(
            "it could not work for {}: {}; agent-worker resume {} tries again",
            runs.unavailable_pause,
            failure.error,
            agent.target()
        );
        return state::pause(cx, agent.id, &reason);
    }
    let until = cx.now.after(wait(cx, failure.retry_after, count));
    agent.set_unavailable(cx.db, since, count.saturating_add(1), until)?;
    cx.touch_agent(agent.id);
    Ok(())
}

/// How long an agent waits that has found its model away `count` times before. A service that always
/// names less time than it needs is asked less and less often, down to once in the usual delay.
fn wait(cx: &Cx<'_>, told: Option<i64>, count: u32) -> Duration {
    let runs = &cx.settings.runs;
    let delay = runs.unavailable_delay.duration();
    let doubled = delay * 2_u32.pow(count.min(20));
    let least = delay.min(doubled / 1000);
    // A wait of nothing names no time to ask again.
    match told.and_then(|ms| u64::try_from(ms).ok()).filter(|ms| *ms > 0) {
        // What lies farther ahead is taken for a time of another clock.
        Some(told) => Duration::from_millis(told).max(least).min(cx.settings.longest_backoff()),
        None => doubled.min(runs.unavailable_max.duration()),
    }
}

/// Whether a run began long after its agent's wait was over, so that the model may have been there
/// in between.
fn has_rested(cx: &Cx<'_>, row: &RunRow, count: u32) -> Result<bool> {
    let Some((ended_at, told)) = row.last_unavailable(cx.db)? else { return Ok(false) };
    let waited = wait(cx, told, count.saturating_sub(1));
    let latest = ended_at.after(waited).after(cx.settings.runs.unavailable_max.duration());
    Ok(row.started_at > latest)
}

/// Pauses an agent whose runs fail again and again.
fn check_crash_loop(cx: &mut Cx<'_>, row: &RunRow, agent: &AgentRow) -> Result<()> {
    let runs = &cx.settings.runs;
    let most = runs.crash_loop_runs;
    let since = cx.now.before(runs.crash_loop_window.duration());
    let failed = failures_since(cx.db, agent.id, since, cx.now.after(AHEAD))?;
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
