//! Due times that have come: each is judged once, and what fires is in the tables with its message.

use std::time::Duration;

use agent_worker_protocol::{
    agent::Wanted,
    channel::Intent,
    id::{MessageId, RunId},
    inbox::{DeliveryState, Reason},
    schedule::{Due, FireOutcome, Missed, RunContext, ScheduleState},
    time::Timestamp,
};
use jiff::Timestamp as Instant;
use rusqlite::{Connection, params};

use crate::{
    changes::message::{
        conversation::GroupRow,
        post::{self, Draft},
    },
    context::cx::Cx,
    error::OpError,
    rows::{
        agent::AgentRow,
        delivery,
        run::RunRow,
        schedule::{ScheduleRow, fire_from_row},
        word::Word,
        workflow::ScopeRow,
    },
    rules::schedule::{
        due::{self, Passed, Times},
        missed::{Last, Policy, Skip, Verdict, judge},
    },
};

/// A time was passed by because the last run went on.
pub const OVERLAP: &str = "overlap";

/// … because nothing ran here then, or a later time stood for it.
pub const MISSED: &str = "missed";

/// … because the agent or the schedule was paused.
pub const PAUSED: &str = "paused";

/// … because the agent was stopped, or its workflow did not run.
pub const STOPPED: &str = "stopped";

/// … because nothing was unread.
pub const NOTHING_UNREAD: &str = "nothing unread";

/// What an agent is asked to do whose schedule does not say.
pub const PROMPT: &str = "Look at the channel and go on with what is yours to do.";

/// A clock that stands farther back than this was set back.
pub const SET_BACK: Duration = Duration::from_mins(1);

/// What was judged farther ahead than this was judged by a clock that was wrong.
pub const WRONG: Duration = Duration::from_hours(1);

/// Judges all due times that have come, and tells when the next one will.
pub fn fire_due(cx: &mut Cx<'_>) -> Result<Option<Timestamp>, OpError> {
    let sql = "SELECT id FROM schedules INDEXED BY schedules_due
               WHERE state = 'active' AND next_due <= ?1 ORDER BY next_due, id";
    for id in ids(cx.conn, sql, cx.now)? {
        let row = ScheduleRow::by_id(cx.conn, id)?;
        match row.times() {
            Ok(times) => look(cx, row, &times)?,
            Err(bad) => give_up(cx, row, &bad)?,
        }
    }
    let sql = "SELECT min(next_due) FROM schedules INDEXED BY schedules_due
               WHERE state = 'active' AND next_due > ?1";
    let next: Option<i64> = cx.conn.prepare_cached(sql)?.query_row([cx.now.0], |row| row.get(0))?;
    Ok(next.map(Timestamp))
}

pub fn ids(conn: &Connection, sql: &str, now: Timestamp) -> Result<Vec<i64>, OpError> {
    let mut statement = conn.prepare_cached(sql)?;
    Ok(statement.query_map([now.0], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Judges the due times of one schedule.
pub fn look(cx: &mut Cx<'_>, mut row: ScheduleRow, times: &Times) -> Result<(), OpError> {
    let Some(first) = row.next_due else { return Ok(()) };
    let passed = match row.missed {
        Missed::All => times.first_passed(first, cx.now),
        _ => times.passed(first, cx.now),
    };
    let policy = Policy {
        overlap: row.overlap,
        missed: row.missed,
        grace: cx.settings.schedules.grace.duration(),
    };
    let verdict = judge(&passed, last(cx.conn, &row)?, policy, cx.now);
    let newest = passed.times.last().copied().unwrap_or(first);
    let next = verdict.waits.or_else(|| times.after(newest));
    if verdict.skips.is_empty() && verdict.fire.is_none() && next == row.next_due {
        return Ok(());
    }
    note_skips(cx, &row, &passed, &verdict)?;
    row.next_due = next;
    if let Some(due_at) = verdict.fire {
        let agent = AgentRow::by_id(cx.conn, row.agent)?;
        if let Some(reason) = kept(cx, &row, &agent)? {
            // It is kept from all that has come, one by one it would not be told otherwise.
            note_passed(cx, &row, &times.passed(due_at, cx.now), &reason)?;
            row.next_due = times.after(cx.now);
        } else {
            let missed = Missing::among(&passed, &verdict);
            fire(cx, &mut row, &agent, due_at, missed)?;
        }
    }
    if row.next_due.is_none() || row.max_fires.is_some_and(|most| row.fires >= most) {
        (row.state, row.next_due) = (ScheduleState::Completed, None);
    }
    row.save(cx)
}

/// How many times were missed for which one stands.
#[derive(Debug, Clone, Copy, Default)]
pub struct Missing {
    count: usize,
    /// Whether there are more that are not counted
    has_more: bool,
}

impl Missing {
    fn among(passed: &Passed, verdict: &Verdict) -> Self {
        let count = verdict.skips.iter().filter(|(_, why)| *why == Skip::Missed).count();
        Self { count, has_more: passed.first.is_some() && count > 0 }
    }
}

pub fn note_skips(
    cx: &Cx<'_>,
    row: &ScheduleRow,
    passed: &Passed,
    verdict: &Verdict,
) -> Result<(), OpError> {
    for (due_at, why) in &verdict.skips {
        let reason = match why {
            Skip::Overlap => OVERLAP.to_owned(),
            Skip::Missed => MISSED.to_owned(),
        };
        note(cx, row, *due_at, FireOutcome::Skipped, &with_others(passed, *due_at, reason))?;
    }
    Ok(())
}

/// A reason that stands for all times up to those that are told one by one.
pub fn with_others(passed: &Passed, due_at: Timestamp, reason: String) -> String {
    let until = passed.times.first().and_then(|at| Instant::from_millisecond(at.0).ok());
    match until {
        Some(until) if passed.first == Some(due_at) => {
            format!("{reason}, as were all times before {until}")
        }
        _ => reason,
    }
}

/// Notes what became of a due time. False if that is known already: then nothing comes of it.
pub fn note(
    cx: &Cx<'_>,
    row: &ScheduleRow,
    due_at: Timestamp,
    outcome: FireOutcome,
    reason: &str,
) -> Result<bool, OpError> {
    let sql = "INSERT OR IGNORE INTO schedule_fires (schedule, due_at, outcome, reason, fired_at)
               VALUES (?1, ?2, ?3, ?4, ?5)";
    let stored = cx.conn.prepare_cached(sql)?.execute(params![
        row.id,
        due_at.0,
        Word(outcome),
        reason,
        cx.now.0
    ])?;
    Ok(stored > 0)
}

/// Notes that times passed by while it could not fire.
pub fn note_passed(
    cx: &Cx<'_>,
    row: &ScheduleRow,
    passed: &Passed,
    reason: &str,
) -> Result<(), OpError> {
    for due_at in passed.first.iter().chain(&passed.times) {
        let reason = with_others(passed, *due_at, reason.to_owned());
        note(cx, row, *due_at, FireOutcome::Skipped, &reason)?;
    }
    Ok(())
}

/// The last due time that was judged.
pub fn last_judged(conn: &Connection, schedule: i64) -> Result<Option<Timestamp>, OpError> {
    let sql = "SELECT max(due_at) FROM schedule_fires WHERE schedule = ?1";
    let at: Option<i64> = conn.prepare_cached(sql)?.query_row([schedule], |row| row.get(0))?;
    Ok(at.map(Timestamp))
}

/// What it fired last, unless something was judged since for which that must have been over.
pub fn last(conn: &Connection, row: &ScheduleRow) -> Result<Option<Last>, OpError> {
    let sql = "SELECT due_at, outcome, reason, fired_at FROM schedule_fires
               WHERE schedule = ?1 ORDER BY due_at DESC";
    let mut statement = conn.prepare_cached(sql)?;
    for fire in statement.query_map([row.id], fire_from_row)? {
        let fire = fire?;
        if let Some(message) = fire.message {
            let ended_at = ended_at(conn, row.agent, message)?;
            return Ok(Some(Last { fired_at: fire.fired_at, ended_at }));
        }
        let reason = fire.reason.as_deref().unwrap_or_default();
        if ![OVERLAP, PAUSED, STOPPED].iter().any(|known| reason.starts_with(known)) {
            return Ok(None);
        }
    }
    Ok(None)
}

/// When a message was handled; `None` while it is open. A dead letter counts as handled from the
/// start.
pub fn ended_at(
    conn: &Connection,
    agent: i64,
    message: MessageId,
) -> Result<Option<Timestamp>, OpError> {
    let Some(given) = delivery::find(conn, agent, message.number())? else {
        return Ok(Some(Timestamp(0)));
    };
    match given.state {
        DeliveryState::Pending
        | DeliveryState::Leased
        | DeliveryState::Waiting
        | DeliveryState::Held => Ok(None),
        DeliveryState::Acked | DeliveryState::Dead | DeliveryState::Dropped => {
            let run = match given.run {
                Some(run) => RunRow::find(conn, RunId::new(run))?,
                None => None,
            };
            Ok(Some(run.and_then(|run| run.ended_at).unwrap_or(Timestamp(0))))
        }
    }
}

/// Why its agent does not run now, if it does not.
pub fn kept(cx: &Cx<'_>, row: &ScheduleRow, agent: &AgentRow) -> Result<Option<String>, OpError> {
    Ok(match agent.wanted {
        Wanted::Paused => Some(format!("{PAUSED}: {} was paused", agent.name)),
        Wanted::Stopped => Some(format!("{STOPPED}: {} was stopped", agent.name)),
        Wanted::Active if row.only_if_unread && !has_unread(cx.conn, agent.id)? => {
            Some(NOTHING_UNREAD.to_owned())
        }
        Wanted::Active => None,
    })
}

pub fn has_unread(conn: &Connection, agent: i64) -> Result<bool, OpError> {
    let sql = "SELECT 1 FROM deliveries INDEXED BY deliveries_open
               WHERE agent = ?1 AND wakes = ?2 AND state IN ('pending', 'waiting')
                 AND state = 'pending' LIMIT 1";
    let mut statement = conn.prepare_cached(sql)?;
    Ok(statement.exists(params![agent, false])? || statement.exists(params![agent, true])?)
}

/// Sends the agent what it is asked to do. False if this time was judged before.
pub fn fire(
    cx: &mut Cx<'_>,
    row: &mut ScheduleRow,
    agent: &AgentRow,
    due_at: Timestamp,
    missed: Missing,
) -> Result<bool, OpError> {
    if !note(cx, row, due_at, FireOutcome::Ran, "")? {
        return Ok(false);
    }
    let scope = ScopeRow::by_id(cx.conn, row.scope_id)?;
    let group = GroupRow::channel(cx.conn, &scope)?;
    let text = text(row, due_at, missed);
    let draft = Draft {
        intent: Intent::Request,
        recipients: vec![(agent.clone(), Reason::Schedule)],
        hop: row.hop,
        root: row.root,
        // What it reads besides would be in no session that goes on.
        solo: row.context == RunContext::Isolated,
        ..Draft::new(&scope, &group, &text)
    };
    let message = post::post(cx, &draft)?.message.id;
    let sql = "UPDATE schedule_fires SET reason = ?3 WHERE schedule = ?1 AND due_at = ?2";
    cx.conn.prepare_cached(sql)?.execute(params![row.id, due_at.0, message.to_string()])?;
    row.fires += 1;
    Ok(true)
}

pub fn text(row: &ScheduleRow, due_at: Timestamp, missed: Missing) -> String {
    let since = due::shown(due_at, &row.timezone);
    let more = if missed.has_more { "more than " } else { "" };
    let missed = match missed.count {
        0 => String::new(),
        1 => ", and a time before it was missed".to_owned(),
        many => format!(", and {more}{many} times before it were missed"),
    };
    let prompt = row.prompt.as_deref().unwrap_or(PROMPT);
    format!(
        "{}, your schedule {} ({}) is due since {since}{missed}.\n\n{prompt}",
        row.agent_name, row.name, row.spec
    )
}

/// A schedule whose times cannot be reckoned any more is paused, and the channel is told.
pub fn give_up(cx: &mut Cx<'_>, mut row: ScheduleRow, bad: &str) -> Result<(), OpError> {
    (row.state, row.next_due) = (ScheduleState::Paused, None);
    row.save(cx)?;
    let scope = ScopeRow::by_id(cx.conn, row.scope_id)?;
    let text = format!("the schedule {} of {} is paused: {bad}", row.name, row.agent_name);
    post::say(cx, &scope, &text)
}

/// Looks whether the next times are what they must be by the clock and the zones as they now are:
/// either may have been set. Judges what has come.
pub fn recheck(cx: &mut Cx<'_>) -> Result<(), OpError> {
    for row in ScheduleRow::all(cx.conn, None, false)? {
        if let (Some(due), Ok(times)) = (row.next_due, row.times())
            && due > cx.now
        {
            correct(cx, row, &times, due)?;
        }
    }
    fire_due(cx).map(drop)
}

/// Forgets what a clock has judged that was far ahead: those times are still to come.
pub fn forget_wrong(cx: &Cx<'_>, row: &ScheduleRow) -> Result<(), OpError> {
    let sql = "DELETE FROM schedule_fires WHERE schedule = ?1 AND fired_at > ?2";
    cx.conn.prepare_cached(sql)?.execute([row.id, cx.now.after(WRONG).0])?;
    Ok(())
}

pub fn correct(
    cx: &mut Cx<'_>,
    mut row: ScheduleRow,
    times: &Times,
    due: Timestamp,
) -> Result<(), OpError> {
    let next = if let Due::Every(span) = &row.spec {
        let is_set_back = due > cx.now.after(span.duration()).after(SET_BACK);
        if is_set_back {
            forget_wrong(cx, &row)?;
            row.anchor_at = cx.now;
        }
        if is_set_back { Some(cx.now.after(span.duration())) } else { Some(due) }
    } else if times.has(due) && times.after(cx.now) == Some(due) {
        Some(due)
    } else {
        forget_wrong(cx, &row)?;
        let judged = last_judged(cx.conn, row.id)?.unwrap_or(cx.now);
        times.after(judged.max(cx.now))
    };
    if next == row.next_due {
        return Ok(());
    }
    row.next_due = next;
    if next.is_none() {
        row.state = ScheduleState::Completed;
    }
    row.save(cx)
}
