//! Tasks: schedules that an agent makes for itself, by its tools.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::op,
    team::schedule::{Due, RunContext, ScheduleState},
    terms::{Name, ScheduleId, words::words},
};

words! {
    /// What the value of a task's schedule is.
    #[derive(Default)]
    pub enum TaskType {
        /// Whenever the clock fits a cron line
        #[default]
        Cron = "cron",
        /// Again and again
        Interval = "interval",
        /// At one time
        Once = "once",
    }
}

/// Schedule a task for yourself. A task of yours with the same name is replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduleTask {
    /// What you are to do then
    pub prompt: String,
    /// Form of the value
    #[serde(alias = "scheduleType")]
    pub schedule_type: TaskType,
    /// `0 9 * * 1-5`; `30m` or milliseconds; `2030-01-31T09:00`
    #[serde(alias = "scheduleValue")]
    pub schedule_value: String,
    /// `isolated` (default): a new session with the channel and only this prompt; `main`: yours
    #[serde(default, alias = "contextMode")]
    pub context_mode: Option<RunContext>,
    /// Its name (`task-1`)
    pub name: Option<Name>,
}

/// List your tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskList {}

/// Pause a task until it is resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskPause {
    /// Its name, or its id such as `sched_3`
    #[serde(alias = "taskId")]
    pub task: String,
}

/// Have a task that you paused run again when it is due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskResume {
    /// Its name or id
    #[serde(alias = "taskId")]
    pub task: String,
}

/// End a task for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskCancel {
    /// Its name or id
    #[serde(alias = "taskId")]
    pub task: String,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    /// `sched_<n>`
    pub id: ScheduleId,
    /// Its name
    pub name: Name,
    /// What is to be done; in a list the first 400 characters
    pub prompt: String,
    /// When it is due: an interval, a cron line, or a date with a time
    pub schedule: Due,
    /// What its runs remember
    pub context_mode: RunContext,
    /// Whether it goes on
    pub state: ScheduleState,
    /// When it is due next, by the clock of its zone
    pub next_run: Option<String>,
    /// When it was due last, by the same clock
    pub last_run: Option<String>,
}

/// Tasks, in the order in which they were made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tasks {
    /// The tasks
    pub tasks: Vec<Task>,
}

op!(ScheduleTask "schedule_task": no route, write, tool => Task);
op!(TaskList "list_tasks": no route, read, tool => Tasks);
op!(TaskPause "pause_task": no route, write, tool, idempotent => Task);
op!(TaskResume "resume_task": no route, write, tool, idempotent => Task);
op!(TaskCancel "cancel_task": no route, write, tool, idempotent => Task);
