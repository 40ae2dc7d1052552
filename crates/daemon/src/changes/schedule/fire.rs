//! Due times that have come: each is judged once, and what fires is in the tables with its message.

use agent_worker_protocol::{
    Due, FireOutcome, Intent, MessageId, Missed, Name, Reason, RunContext, ScheduleState,
    Timestamp, WorkflowState,
};

use crate::{
    changes::message::{conversation, post},
    context::Cx,
    error::Result,
    rows::{
        AgentRow, ConversationRow, NewFire, ScheduleRow, WorkflowRow,
        schedule::{forget_fires_after, note_fire},
    },
    rules::{
        draft::Draft,
        schedule::{
            self,
            due::{Passed, Times},
            fire::{
                MISSED, Missing, SCHEDULE_PAUSED, SCOPE_STOPPED, SET_BACK, TURN_NOT_COME, WRONG,
            },
            heartbeat,
            missed::{Policy, Skip, Verdict, judge},
        },
    },
};

/// Judges all due times that have come, but those of heartbeats. Returns the heartbeats that are
/// due: what their homes say decides.
pub fn fire_due(cx: &mut Cx<'_>) -> Result<Vec<ScheduleRow>> {
    let mut heartbeats = Vec::new();
    for row in ScheduleRow::due(cx.db, cx.now)? {
        match row.times() {
            Ok(_) if row.is_heartbeat() => heartbeats.push(row),
            Ok(times) => look(cx, row, &times, schedule::fire::kept)?,
            Err(bad) => give_up(cx, row, &bad)?,
        }
    }
    Ok(heartbeats)
}

/// Judges the due times of a heartbeat; `why_not` is what speaks against it in its home.
pub fn beat(cx: &mut Cx<'_>, id: i64, why_not: Option<&str>) -> Result<()> {
    let mut row = ScheduleRow::by_id(cx.db, id)?;
    match row.times() {
        _ if row.next_due.is_none_or(|due| due > cx.now) => Ok(()),
        Ok(times) => {
            let times = within_hours(cx, &mut row, times)?;
            look(cx, row, &times, |cx, row, agent| heartbeat::kept(cx, row, agent, why_not))
        }
        Err(bad) => give_up(cx, row, &bad),
    }
}

/// The times of a schedule from now on. Those of a heartbeat reach its hours.
fn within_hours(cx: &Cx<'_>, row: &mut ScheduleRow, times: Times) -> Result<Times> {
    let times = heartbeat::within(times, &row.timezone, row.hours(cx.db)?, cx.now);
    row.anchor_at = times.anchor().unwrap_or(row.anchor_at);
    Ok(times)
}

/// Judges the due times of one schedule.
pub fn look(
    cx: &mut Cx<'_>,
    mut row: ScheduleRow,
    times: &Times,
    kept: impl Fn(&Cx<'_>, &ScheduleRow, &AgentRow) -> Result<Option<String>>,
) -> Result<()> {
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
    let mut verdict = judge(&passed, schedule::fire::last(cx.db, &row)?, policy, cx.now);
    let agent = AgentRow::by_id(cx.db, row.agent)?;
    let reason = if verdict.fire.is_some() { kept(cx, &row, &agent)? } else { None };
    // What was a dead letter when a time was passed by may be open again.
    if verdict.fire.is_some()
        && reason.is_none()
        && let Some(open) = schedule::fire::open(cx.db, &row)?
    {
        verdict = judge(&passed, Some(open), policy, cx.now);
    }
    let newest = passed.times.last().copied().unwrap_or(first);
    let next = verdict.waits.or_else(|| times.after(newest));
    if verdict.skips.is_empty() && verdict.fire.is_none() && next == row.next_due {
        return Ok(());
    }
    note_skips(cx, &row, &passed, &verdict)?;
    row.next_due = next;
    if let Some(due_at) = verdict.fire {
        if let Some(reason) = reason {
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

fn note_skips(cx: &Cx<'_>, row: &ScheduleRow, passed: &Passed, verdict: &Verdict) -> Result<()> {
    let is_open = verdict.skips.iter().any(|(_, why)| *why == Skip::Overlap);
    let overlap = if is_open { schedule::fire::overlap(cx.db, row)? } else { String::new() };
    for (due_at, why) in &verdict.skips {
        let reason = match why {
            Skip::Overlap => overlap.clone(),
            Skip::Missed => MISSED.to_owned(),
        };
        let reason = schedule::fire::with_others(passed, *due_at, reason);
        note(cx, row, *due_at, FireOutcome::Skipped, &reason)?;
    }
    Ok(())
}

/// Notes what became of a due time, unless that is known already.
pub fn note(
    cx: &Cx<'_>,
    row: &ScheduleRow,
    due_at: Timestamp,
    outcome: FireOutcome,
    reason: &str,
) -> Result<()> {
    let fire = NewFire { schedule: row.id, due_at, outcome, reason, fired_at: cx.now };
    note_fire(cx.db, &fire)
}

/// Notes that times passed by while it could not fire.
fn note_passed(cx: &Cx<'_>, row: &ScheduleRow, passed: &Passed, reason: &str) -> Result<()> {
    for due_at in passed.first.iter().chain(&passed.times) {
        let reason = schedule::fire::with_others(passed, *due_at, reason.to_owned());
        note(cx, row, *due_at, FireOutcome::Skipped, &reason)?;
    }
    Ok(())
}

/// Sends the agent what it is asked to do. False if this time was judged before.
pub fn fire(
    cx: &mut Cx<'_>,
    row: &mut ScheduleRow,
    agent: &AgentRow,
    due_at: Timestamp,
    missed: Missing,
) -> Result<bool> {
    if row.is_judged(cx.db, due_at)? {
        return Ok(false);
    }
    let scope = WorkflowRow::by_id(cx.db, row.scope_id)?;
    let (group, text, reason) = if row.is_heartbeat() {
        let group = conversation::with_daemon(cx, agent)?;
        (group, heartbeat::ASKED.to_owned(), Reason::Heartbeat)
    } else {
        let text = schedule::fire::text(row, due_at, missed);
        (ConversationRow::channel(cx.db, &scope)?, text, Reason::Schedule)
    };
    let draft = Draft {
        intent: Intent::Request,
        recipients: vec![(agent.clone(), reason)],
        hop: row.hop,
        root: row.root,
        // What it reads besides would be in no session that goes on.
        solo: row.context == RunContext::Isolated,
        ..Draft::new(&scope, &group, post::fitting(cx, &text))
    };
    let message = MessageId::new(post::post(cx, &draft)?.seq);
    note(cx, row, due_at, FireOutcome::Ran, &message.to_string())?;
    row.fires += 1;
    Ok(true)
}

/// A schedule whose times cannot be reckoned any more is paused, and the channel is told.
fn give_up(cx: &mut Cx<'_>, mut row: ScheduleRow, bad: &str) -> Result<()> {
    pause(cx, &mut row, None)?;
    let scope = WorkflowRow::by_id(cx.db, row.scope_id)?;
    let text = format!("the schedule {} of {} is paused: {bad}", row.name, row.agent_name);
    post::say(cx, &scope, &text)
}

/// Looks whether the next times are what they must be by the clock and the zones as they now are:
/// either may have been set. Judges what has come.
pub fn recheck(cx: &mut Cx<'_>) -> Result<()> {
    for row in ScheduleRow::all(cx.db, None, false)? {
        if let (Some(due), Ok(times)) = (row.next_due, row.times())
            && due > cx.now
        {
            correct(cx, row, &times, due)?;
        }
    }
    fire_due(cx).map(drop)
}

/// Forgets what a clock has judged that was far ahead: those times are still to come.
fn forget_wrong(cx: &Cx<'_>, row: &ScheduleRow) -> Result<()> {
    forget_fires_after(cx.db, row.id, cx.now.after(WRONG))
}

fn correct(cx: &mut Cx<'_>, mut row: ScheduleRow, times: &Times, due: Timestamp) -> Result<()> {
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
        let judged = row.last_judged(cx.db)?.unwrap_or(cx.now);
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

/// Has a schedule pass its times by until it is resumed. `by` is the member that pauses it, `None`
/// for the daemon.
pub fn pause(cx: &mut Cx<'_>, row: &mut ScheduleRow, by: Option<Name>) -> Result<()> {
    (row.state, row.paused_by) = (ScheduleState::Paused, by);
    stand_still(cx, row, SCHEDULE_PAUSED)
}

/// A scope runs no more: nothing of it is due until it does.
pub fn scope_stops(cx: &mut Cx<'_>, scope: i64) -> Result<()> {
    let mut rows = ScheduleRow::all(cx.db, Some(scope), false)?;
    rows.retain(|row| row.next_due.is_some());
    rows.iter_mut().try_for_each(|row| stand_still(cx, row, TURN_NOT_COME))
}

/// Takes the next time of a schedule away. Times that have come and wait for the last run are noted
/// as passed by.
fn stand_still(cx: &mut Cx<'_>, row: &mut ScheduleRow, reason: &str) -> Result<()> {
    if let (Some(first), Ok(times)) = (row.next_due.take(), row.times())
        && first <= cx.now
    {
        note_passed(cx, row, &times.passed(first, cx.now), reason)?;
    }
    row.save(cx)
}

/// A scope runs, and did not before.
pub fn scope_goes_on(cx: &mut Cx<'_>, scope: i64) -> Result<()> {
    let mut rows = ScheduleRow::all(cx.db, Some(scope), false)?;
    rows.retain(|row| row.state == ScheduleState::Active);
    rows.into_iter().try_for_each(|row| go_on(cx, row, SCOPE_STOPPED))
}

/// Has a paused schedule be due again, as soon as its workflow runs.
pub fn resume(cx: &mut Cx<'_>, mut row: ScheduleRow) -> Result<()> {
    if WorkflowRow::by_id(cx.db, row.scope_id)?.state == WorkflowState::Running {
        return go_on(cx, row, SCHEDULE_PAUSED);
    }
    row.state = ScheduleState::Active;
    row.save(cx)
}

/// Has a schedule be due again. What passed meanwhile is noted as passed by.
pub fn go_on(cx: &mut Cx<'_>, mut row: ScheduleRow, reason: &str) -> Result<()> {
    let kept = cx.now.before(cx.settings.keep.schedules.duration());
    let judged = row.last_judged(cx.db)?.unwrap_or(row.anchor_at);
    let from = judged.max(row.anchor_at).max(kept);
    row.state = ScheduleState::Active;
    match row.times() {
        Ok(times) => {
            if let Some(first) = times.after(from).filter(|first| *first <= cx.now) {
                note_passed(cx, &row, &times.passed(first, cx.now), reason)?;
            }
            row.next_due = within_hours(cx, &mut row, times)?.after(from.max(cx.now));
        }
        Err(bad) => return give_up(cx, row, &bad),
    }
    if row.next_due.is_none() {
        row.state = ScheduleState::Completed;
    }
    row.save(cx)
}
