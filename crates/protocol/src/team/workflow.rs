//! Workflows: a team started from a file, and how it ends.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::op,
    problem::Problem,
    team::schedule::{Due, ZoneName},
    terms::{Interval, Name, Scope, Tag, Timestamp, words::words},
};

words! {
    /// Whether a workflow ends by itself.
    pub enum Mode {
        /// It ends when nothing is left to do.
        Run = "run",
        /// It stays until it is stopped.
        Start = "start",
    }
}

words! {
    /// Where a workflow is.
    pub enum WorkflowState {
        /// It exists and was never started.
        Created = "created",
        /// Its setup runs.
        SettingUp = "setting_up",
        /// Its agents work, or wait for work.
        Running = "running",
        /// Everything asked for was done.
        Completed = "completed",
        /// Something could not be done.
        Failed = "failed",
        /// The user stopped it.
        Stopped = "stopped",
        /// Something waits for the user.
        Stalled = "stalled",
    }
}

impl WorkflowState {
    /// Whether it has a setup or agents at work.
    pub fn is_live(self) -> bool {
        matches!(self, Self::SettingUp | Self::Running)
    }

    /// Whether the user can resume it. Completed and failed workflows are started again instead.
    pub fn can_resume(self) -> bool {
        matches!(self, Self::Stopped | Self::Stalled)
    }

    /// Whether it is over. A stalled one waits for the user.
    pub fn has_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Stopped)
    }
}

/// What a workflow may use. A limit without a value is off, or has the default in parentheses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Maximum number of runs between a message and the user (40)
    pub hops: Option<u32>,
    /// Maximum number of runs that one message leads to (200)
    pub runs: Option<u32>,
    /// Maximum number of agents, created and hired ones included (20 if an agent hires)
    pub agents: Option<u32>,
    /// Maximum number of tokens: input, cached or not, and output
    pub tokens: Option<u64>,
    /// Maximum cost in dollars
    pub cost: Option<f64>,
    /// Maximum time that the workflow runs
    pub duration: Option<Interval>,
    /// Maximum number of live runs at once
    pub max_runs: Option<u32>,
    /// Minimum time between two runs of a task that an agent makes for itself (1m)
    pub task_interval: Option<Interval>,
}

words! {
    /// One of the limits.
    pub enum LimitName {
        /// Runs between a message and the user
        Hops = "hops",
        /// Runs that one message leads to
        Runs = "runs",
        /// Agents
        Agents = "agents",
        /// Tokens: input, cached or not, and output
        Tokens = "tokens",
        /// Cost in dollars
        Cost = "cost",
        /// Time that the workflow runs
        Duration = "duration",
        /// Live runs at once
        MaxRuns = "max_runs",
        /// Time between two runs of a task
        TaskInterval = "task_interval",
    }
}

/// What a scope has used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Used {
    /// Tokens, read and written
    pub tokens: i64,
    /// Dollars, as far as they are known
    pub cost: f64,
    /// Milliseconds in `running`, up to `running_since`
    pub duration_ms: i64,
    /// Since when it is running; none if it is not
    pub running_since: Option<Timestamp>,
    /// Runs
    pub runs: i64,
}

/// A workflow, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Workflow {
    /// `review:pr-123`
    pub key: String,
    /// Its name
    pub name: Name,
    /// Its tag
    pub tag: Tag,
    /// Name and tag as a target: `@review:pr-123`
    pub scope: Scope,
    /// Whether it ends by itself
    pub mode: Mode,
    /// Where it is
    pub state: WorkflowState,
    /// How it ended: `completed`, `failed`, `stopped` or `stalled`
    pub outcome: Option<WorkflowState>,
    /// Why it ended so
    pub outcome_reason: Option<String>,
    /// The setup step that runs
    pub setup: Option<String>,
    /// How often it was started afresh
    pub generation: i64,
    /// Its agents, without the user
    pub agents: Vec<Name>,
    /// What it may use
    pub limits: Limits,
    /// What its runs used
    pub used: Used,
    /// When this generation was started
    pub started_at: Option<Timestamp>,
    /// When it ended
    pub ended_at: Option<Timestamp>,
    /// Whether `--fresh` put it away
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
}

impl Workflow {
    /// Whether it ended in its setup, so that nothing but the next start takes up its messages. One
    /// that ended after its kickoff goes on with a message.
    pub fn ended_in_setup(&self) -> bool {
        match self.state {
            // Only a setup with nothing to do gives a reason.
            WorkflowState::Completed => self.outcome_reason.is_some(),
            // With `run`, the failure of an agent needs a run.
            WorkflowState::Failed => self.mode == Mode::Start || self.used.runs == 0,
            _ => false,
        }
    }
}

/// All workflows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Workflows {
    /// By name and tag
    pub workflows: Vec<Workflow>,
}

/// A workflow file with everything beside it that the daemon needs: the daemon opens no path of
/// its caller's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The file's name, for messages and for a workflow without a name
    pub file_name: String,
    /// The file's text
    pub text: String,
    /// The folder it is in, where setup and tools work
    pub folder: String,
    /// Texts of the files it names, by the path it names them with
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Why other files that it names cannot be read, by the same paths; a second line `hint: …` may
    /// say what helps
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unread: BTreeMap<String, String>,
    /// Values for its params
    #[serde(default)]
    pub params: BTreeMap<String, String>,
    /// Values of the environment variables that its texts name
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Which of the variables that its agents name are set in the caller's shell
    #[serde(default)]
    pub set_in_shell: Vec<String>,
    /// The caller's search path for programs
    pub path_env: Option<String>,
    /// The caller's home folder
    pub home: Option<String>,
    /// Its tag (`main`)
    pub tag: Option<Tag>,
    /// A backend for all its agents, in place of their own
    pub backend: Option<String>,
    /// A model for all its agents, in place of their own
    pub model: Option<String>,
}

/// Start a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkflowStart {
    /// The workflow file
    pub source: Source,
    /// Whether it ends by itself
    pub mode: Mode,
    /// Archive earlier messages and documents first
    #[serde(default)]
    pub fresh: bool,
}

/// A workflow that was started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Started {
    /// As it stands after the start
    pub workflow: Workflow,
    /// Whether an earlier generation goes on, without setup and kickoff
    pub continued: bool,
    /// Where its earlier messages and documents are now
    pub archived: Option<Scope>,
    /// From where on to follow the feed: `<epoch>-<seq>`
    pub cursor: String,
    /// The newest message of the channel before the start
    pub last_seq: i64,
    /// What is not wrong but worth knowing
    pub warnings: Vec<Problem>,
}

/// Check a workflow file: everything that can be known without starting it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// The workflow file
    pub source: Source,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Checked {
    /// Whether nothing is wrong. What needs a later version is not wrong.
    pub ok: bool,
    /// What was found, by line
    pub problems: Vec<Problem>,
    /// The workflow's name, where it is known
    pub name: Option<Name>,
    /// Its agents
    pub agents: Vec<Name>,
    /// When they would run by themselves if it were started now
    #[serde(default)]
    pub schedules: Vec<CheckedSchedule>,
}

/// A schedule of a workflow file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckedSchedule {
    /// The agent that it starts
    pub agent: Name,
    /// What it is called
    pub name: Name,
    /// When it is due
    pub spec: Due,
    /// The zone of its times
    pub timezone: ZoneName,
    /// The next five times at which it would be due
    pub next: Vec<Timestamp>,
}

/// List workflows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkflowList {}

/// Show one workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkflowShow {
    /// Which: `review:pr-123`
    pub key: Scope,
}

/// Stop a workflow: no new runs, live ones have `runs.stop_grace` to end, deliveries stay. With
/// `purge` remove it with its messages and documents; it must not be live then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkflowStop {
    /// Which: `review:pr-123`
    pub key: Scope,
    /// End live runs at once
    #[serde(default)]
    pub now: bool,
    /// Remove it
    #[serde(default)]
    pub purge: bool,
    /// The time it was given, if it is stopped because that is over
    pub timeout: Option<Interval>,
}

/// Let a stopped or stalled workflow go on, its paused agents too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkflowResume {
    /// Which: `review:pr-123`
    pub key: Scope,
}

impl Limits {
    /// The number of agents up to which agents hire, where the workflow does not say.
    pub const AGENTS: u32 = 20;

    /// The minimum time between two runs of a task, where the workflow does not say.
    pub const TASK_INTERVAL: Interval = Interval::seconds(60);

    /// The lowest limit of costs in dollars. Costs are counted in millionths.
    pub const LEAST_COST: f64 = 0.000_001;

    /// These limits, and of the others those that are not set here.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            hops: self.hops.or(others.hops),
            runs: self.runs.or(others.runs),
            agents: self.agents.or(others.agents),
            tokens: self.tokens.or(others.tokens),
            cost: self.cost.or(others.cost),
            duration: self.duration.or(others.duration),
            max_runs: self.max_runs.or(others.max_runs),
            task_interval: self.task_interval.or(others.task_interval),
        }
    }

    /// Takes one off.
    pub fn unset(&mut self, name: LimitName) {
        match name {
            LimitName::Hops => self.hops = None,
            LimitName::Runs => self.runs = None,
            LimitName::Agents => self.agents = None,
            LimitName::Tokens => self.tokens = None,
            LimitName::Cost => self.cost = None,
            LimitName::Duration => self.duration = None,
            LimitName::MaxRuns => self.max_runs = None,
            LimitName::TaskInterval => self.task_interval = None,
        }
    }
}

/// Change what a scope may use. Raising a limit releases what it held.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitsSet {
    /// Which scope: `review:pr-123`
    pub key: Scope,
    /// The limits to change; those left out stay
    pub limits: Limits,
    /// The limits to take off, before the others are set
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unset: Vec<LimitName>,
}

op!(WorkflowStart "workflow_start": post "/workflows", write => Started);
op!(Check "check": post "/check", read => Checked);
op!(WorkflowList "workflow_list": get "/workflows", read => Workflows);
op!(WorkflowShow "workflow_show": get "/workflows/{key}", read => Workflow);
op!(WorkflowStop "workflow_stop": delete "/workflows/{key}", write, idempotent => Workflow);
op!(WorkflowResume "workflow_resume": post "/workflows/{key}/resume", write, idempotent
    => Workflow);
op!(LimitsSet "limits_set": put "/workflows/{key}/limits", write, idempotent => Workflow);
