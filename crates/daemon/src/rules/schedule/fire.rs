//! What decides whether a due time runs or is skipped.

use std::time::Duration;

use agent_worker_protocol::{DeliveryState, Due, Fire, MessageId, Mode, RunId, Timestamp, Wanted};
use jiff::Timestamp as Instant;

use crate::{
    context::Cx,
    error::Result,
    rows::{
        AgentRow, Db, RunRow, ScheduleRow, WorkflowRow, delivery,
        schedule::{self, NEWEST_RAN, NEWEST_TELLING},
    },
    rules::{
        budget, outcome,
        schedule::{
            due::{self, Passed},
            missed::{Last, Skip, Verdict},
        },
    },
};

/// A time was passed by because the last run went on.
pub const OVERLAP: &str = "overlap";

/// … because nothing ran here then, or a later time stood for it.
pub const MISSED: &str = "missed";

/// … because the agent or the schedule was paused.
const PAUSED: &str = "paused";

/// … because the agent was stopped, or its workflow did not run.
const STOPPED: &str = "stopped";

/// … because the schedule was paused, whether its last run was over or not.
pub const SCHEDULE_PAUSED: &str = "paused: the schedule was paused";

/// … because its workflow did not run, whether its last run was over or not.
pub const SCOPE_STOPPED: &str = "stopped: its workflow did not run";

/// … because its workflow ended while it waited for the last run. `NEWEST_TELLING` knows it by the
/// beginning, which is that of `SCOPE_STOPPED`.
pub const TURN_NOT_COME: &str = "stopped: its workflow did not run long enough for its turn";

/// … because nothing was unread.
const NOTHING_UNREAD: &str = "nothing unread";

/// … because its workflow ends when its work is done, and only schedules had work left.
const NOTHING_LEFT: &str = "nothing else is left to do";

/// What an agent is asked to do whose schedule does not say.
const PROMPT: &str = "Look at the channel and go on with what is yours to do.";

/// A clock that stands farther back than this was set back.
pub const SET_BACK: Duration = Duration::from_mins(1);

/// What was judged farther ahead than this was judged by a clock that was wrong.
pub const WRONG: Duration = Duration::from_hours(1);

/// How many times were missed for which one stands.
#[derive(Debug, Clone, Copy, Default)]
pub struct Missing {
    count: usize,
    /// Whether there are more that are not counted
    has_more: bool,
}

impl Missing {
    pub fn among(passed: &Passed, verdict: &Verdict) -> Self {
        let count = verdict.skips.iter().filter(|(_, why)| *why == Skip::Missed).count();
        Self { count, has_more: passed.first.is_some() && count > 0 }
    }
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

/// What it fired last, unless something was judged since for which that must have been over.
pub fn last(db: Db<'_>, row: &ScheduleRow) -> Result<Option<Last>> {
    let Some(fire) = schedule::newest(db, NEWEST_TELLING, row.id)? else { return Ok(None) };
    of_fire(db, row, &fire)
}

/// What it fired last, if that is open. A dead letter that is retried is open again, whatever was
/// judged since.
pub fn open(db: Db<'_>, row: &ScheduleRow) -> Result<Option<Last>> {
    let Some(fire) = schedule::newest(db, NEWEST_RAN, row.id)? else { return Ok(None) };
    Ok(of_fire(db, row, &fire)?.filter(|last| last.ended_at.is_none()))
}

fn of_fire(db: Db<'_>, row: &ScheduleRow, fire: &Fire) -> Result<Option<Last>> {
    let Some(message) = fire.message else { return Ok(None) };
    let ended_at = ended_at(db, row.agent, message)?;
    Ok(Some(Last { fired_at: fire.fired_at, ended_at }))
}

/// Why a time is passed by while the last message is open: its run goes on, or a budget holds it.
pub fn overlap(db: Db<'_>, row: &ScheduleRow) -> Result<String> {
    let message = schedule::newest(db, NEWEST_RAN, row.id)?.and_then(|fire| fire.message);
    let given = message.map_or(Ok(None), |id| delivery::find(db, row.agent, id.number()))?;
    let held = given.filter(|given| given.state == DeliveryState::Held);
    let why = held.and_then(|held| held.held_reason).filter(|why| budget::has_held(why));
    Ok(match why {
        Some(why) => format!("{OVERLAP}, its last message is held: {why}"),
        None => OVERLAP.to_owned(),
    })
}

/// The held mail of an agent that its schedules sent, in order, with the schedule of each.
pub fn held(db: Db<'_>, agent: i64) -> Result<Vec<(MessageId, ScheduleRow)>> {
    let mut held = Vec::new();
    for row in delivery::kept(db, agent)? {
        if row.state == DeliveryState::Held && row.is_schedule() {
            let message = MessageId::new(row.seq);
            let sender = ScheduleRow::of_message(db, agent, message)?;
            held.extend(sender.map(|sender| (message, sender)));
        }
    }
    Ok(held)
}

/// When a message was handled; `None` while it is open, or a budget holds it. A dead letter counts
/// as handled from the start.
fn ended_at(db: Db<'_>, agent: i64, message: MessageId) -> Result<Option<Timestamp>> {
    let Some(given) = delivery::find(db, agent, message.number())? else {
        return Ok(Some(Timestamp(0)));
    };
    match given.state {
        DeliveryState::Pending | DeliveryState::Leased | DeliveryState::Waiting => Ok(None),
        // Every further time would only be held too.
        DeliveryState::Held if given.held_reason.as_deref().is_some_and(budget::has_held) => {
            Ok(None)
        }
        DeliveryState::Held
        | DeliveryState::Acked
        | DeliveryState::Dead
        | DeliveryState::Dropped => {
            let run = given.run.map_or(Ok(None), |run| RunRow::find(db, RunId::new(run)))?;
            Ok(Some(run.and_then(|run| run.ended_at).unwrap_or(Timestamp(0))))
        }
    }
}

/// Why its agent does not run now, if it does not.
pub fn kept(cx: &Cx<'_>, row: &ScheduleRow, agent: &AgentRow) -> Result<Option<String>> {
    Ok(match agent.wanted {
        Wanted::Paused => Some(format!("{PAUSED}: {} was paused", agent.name)),
        Wanted::Stopped => Some(format!("{STOPPED}: {} was stopped", agent.name)),
        Wanted::Active if row.only_if_unread && !delivery::is_pending(cx.db, agent.id)? => {
            Some(NOTHING_UNREAD.to_owned())
        }
        Wanted::Active if is_for_once(row) || goes_on(cx, row.scope_id)? => None,
        Wanted::Active => Some(NOTHING_LEFT.to_owned()),
    })
}

/// Whether it has a single time, which would be lost. What an agent plans for itself is left out:
/// each of its runs could plan the next.
fn is_for_once(row: &ScheduleRow) -> bool {
    matches!(row.spec, Due::At(_)) && row.maker != row.agent_name
}

/// Whether a workflow would go on without its schedules. Otherwise they would keep each other going
/// where one has a run live whenever another is due.
fn goes_on(cx: &Cx<'_>, scope: i64) -> Result<bool> {
    let scope = WorkflowRow::by_id(cx.db, scope)?;
    Ok(scope.mode != Mode::Run || outcome::has_unscheduled_work(cx, &scope)?)
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
