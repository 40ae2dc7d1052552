//! Schedules: when agents run by themselves, and what became of each time at which one was due.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::op,
    team::schedule::{
        clock::{Hours, ZoneName},
        due::{Due, Missed, Overlap, RunContext},
    },
    terms::{MessageId, Name, RunId, ScheduleId, Scope, Target, Timestamp, target, words::words},
};

words! {
    /// Whether a schedule goes on.
    pub enum ScheduleState {
        /// It fires when it is due.
        Active = "active",
        /// It passes its times by until it is resumed.
        Paused = "paused",
        /// It will not be due again, or was cleared.
        Completed = "completed",
    }
}

words! {
    /// What became of a due time.
    pub enum FireOutcome {
        /// Its agent was sent the prompt.
        Ran = "ran",
        /// It was passed by, or its message is held or was discarded before a run had it.
        Skipped = "skipped",
    }
}

/// A due time that was judged. Each is judged once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fire {
    /// When it was due
    pub due_at: Timestamp,
    /// What became of it
    pub outcome: FireOutcome,
    /// Why it was skipped, or what holds its message
    pub reason: Option<String>,
    /// The message that its agent got
    pub message: Option<MessageId>,
    /// When it was judged
    pub fired_at: Timestamp,
}

impl Fire {
    /// Beginning of the reason of a due time whose message is held.
    pub const HELD: &str = "its message is held";

    /// Returns whether its message is held, so that a run may still come of it.
    pub fn is_held(&self) -> bool {
        self.reason.as_deref().is_some_and(|reason| reason.starts_with(Self::HELD))
    }
}

/// When an agent runs by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Schedule {
    /// `sched_<n>`
    pub id: ScheduleId,
    /// Where its agent is
    pub scope: Scope,
    /// Its agent
    pub agent: Target,
    /// What it is called: a name stands once for each agent
    pub name: Name,
    /// Who made it: a member, or `system` for the workflow file
    pub maker: Name,
    /// When it is due: an interval, a cron line, or a date with a time
    pub spec: Due,
    /// The zone of its times
    pub timezone: ZoneName,
    /// Part of the day of a heartbeat; at other times it is skipped
    pub hours: Option<Hours>,
    /// What the agent is asked to do
    pub prompt: Option<String>,
    /// Whether it passes by when nothing is unread
    pub only_if_unread: bool,
    /// What happens when the last run goes on still
    pub overlap: Overlap,
    /// What happens with times that passed while nothing ran here
    pub missed: Missed,
    /// What its runs remember
    pub context: RunContext,
    /// How often it fires at most
    pub max_fires: Option<i64>,
    /// How often it has fired
    pub fires: i64,
    /// Whether it goes on
    pub state: ScheduleState,
    /// When it is due next, a heartbeat within its hours; none while it is paused or its workflow
    /// does not run
    pub next_due: Option<Timestamp>,
    /// What became of the last due time
    pub last: Option<Fire>,
    /// When it was made
    pub created_at: Timestamp,
}

impl Schedule {
    /// Returns the due time that has come and waits until the last run is over.
    pub fn waiting(&self, now: Timestamp) -> Option<Timestamp> {
        let may_wait = self.overlap == Overlap::Queue || self.missed == Missed::All;
        self.next_due.filter(|due| may_wait && *due <= now)
    }
}

/// Schedules, by scope and number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Schedules {
    /// The schedules
    pub schedules: Vec<Schedule>,
}

/// Schedules that were cleared, and what they leave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SchedulesCleared {
    /// The schedules, in the order in which they were made
    pub schedules: Vec<Schedule>,
    /// Their messages that are still held, in order
    #[serde(default)]
    pub held: Vec<MessageId>,
}

/// A due time with the run that came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fired {
    /// What became of it
    #[serde(flatten)]
    pub fire: Fire,
    /// The run that its message was given to last
    pub run: Option<RunId>,
}

/// A schedule with its next times and its last ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScheduleDetail {
    /// The schedule
    pub schedule: Schedule,
    /// The next five times at which it is due
    pub next: Vec<Timestamp>,
    /// What became of the last times, newest first
    pub fired: Vec<Fired>,
}

/// The schedules of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScheduleDetails {
    /// The schedules, in the order in which they were made; of those that have fired for the last
    /// time, the ones whose message is held
    pub schedules: Vec<ScheduleDetail>,
}

/// List when agents run by themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ScheduleList {
    /// Also those that are not due again
    pub all: bool,
}

/// Show the schedules of an agent: when each is due next, and what became of the last times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduleShow {
    /// The agent, such as `alice` or `alice@review`
    #[serde(serialize_with = "target::whole")]
    pub target: Target,
}

/// Have an agent run by itself. A schedule of the same name is replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduleSet {
    /// The agent, such as `alice` or `alice@review`
    #[serde(serialize_with = "target::whole")]
    pub target: Target,
    /// What it is called (`main`)
    pub name: Option<Name>,
    /// When: an interval (`30m`), a cron line (`0 9 * * 1-5`), or a date with a time
    pub spec: Due,
    /// What the agent is asked to do
    pub prompt: Option<String>,
    /// The zone of its times (the workflow's, else this machine's)
    pub timezone: Option<ZoneName>,
    /// Whether it passes by when nothing is unread; an interval without a prompt does
    pub only_if_unread: Option<bool>,
    /// When the last run goes on still: skip (default), or queue one more
    pub overlap: Option<Overlap>,
    /// Times that passed while nothing ran here: once (default), skip or all
    pub missed: Option<Missed>,
    /// What its runs remember: main, the agent's session (default), or isolated, nothing
    pub context: Option<RunContext>,
    /// How often it fires at most
    pub max_fires: Option<u32>,
}

impl ScheduleSet {
    /// A schedule with defaults for all else.
    pub fn usual(target: Target, spec: Due) -> Self {
        Self {
            target,
            name: None,
            spec,
            prompt: None,
            timezone: None,
            only_if_unread: None,
            overlap: None,
            missed: None,
            context: None,
            max_fires: None,
        }
    }
}

/// Clear a schedule of an agent, or all of them but its heartbeat, which can be paused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduleClear {
    /// The agent, such as `alice` or `alice@review`
    #[serde(serialize_with = "target::whole")]
    pub target: Target,
    /// Name of the schedule (all)
    pub name: Option<Name>,
}

/// Have a schedule of an agent, or all of them, pass their times by until they are resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SchedulePause {
    /// The agent, such as `alice` or `alice@review`
    #[serde(serialize_with = "target::whole")]
    pub target: Target,
    /// Name of the schedule (all)
    pub name: Option<Name>,
}

/// Have a paused schedule of an agent, or all of them, fire again when they are due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduleResume {
    /// The agent, such as `alice` or `alice@review`
    #[serde(serialize_with = "target::whole")]
    pub target: Target,
    /// Name of the schedule (all)
    pub name: Option<Name>,
}

/// Fire a schedule now, beside its times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduleRun {
    /// The agent, such as `alice` or `alice@review`
    #[serde(serialize_with = "target::whole")]
    pub target: Target,
    /// Name of the schedule (the only one)
    pub name: Option<Name>,
}

op!(ScheduleList "schedule_list": get "/schedules", read => Schedules);
op!(ScheduleShow "schedule_show": get "/agents/{target}/schedule", read => ScheduleDetails);
op!(ScheduleSet "schedule_set": put "/agents/{target}/schedule", write => Schedule);
op!(ScheduleClear "schedule_clear": delete "/agents/{target}/schedule", write, idempotent
    => SchedulesCleared);
op!(SchedulePause "schedule_pause": post "/agents/{target}/schedule/pause", write, idempotent
    => Schedules);
op!(ScheduleResume "schedule_resume": post "/agents/{target}/schedule/resume", write, idempotent
    => Schedules);
op!(ScheduleRun "schedule_run": post "/agents/{target}/schedule/run", write => Schedule);
