//! Members of a scope: agents, the user, and what is done with them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::terms::member::MemberKind;
use crate::{
    op::op,
    team::{
        backend::Thinking,
        home::Home,
        run::{ModelAway, Run},
        schedule::{Due, Hours, Schedule},
        session::Session,
        workflow::Limits,
    },
    terms::{Interval, Name, RunId, Scope, Target, Timestamp, target, words::words},
};

words! {
    /// What the user wants of an agent.
    pub enum Wanted {
        /// It works when there is something to do.
        Active = "active",
        /// The daemon paused it; `paused_reason` says why.
        Paused = "paused",
        /// The user stopped it.
        Stopped = "stopped",
    }
}

words! {
    /// What an agent is doing, as people see it.
    pub enum AgentState {
        /// Nothing waits for it.
        Idle = "idle",
        /// Messages are due, and no run has begun yet.
        Queued = "queued",
        /// A run of it is live.
        Running = "running",
        /// Its run waits for an answer of the user.
        Waiting = "waiting",
        /// It will try again later.
        Backoff = "backoff",
        /// The daemon paused it.
        Paused = "paused",
        /// The user stopped it.
        Stopped = "stopped",
    }
}

words! {
    /// What made a member, and what may therefore remove it.
    pub enum Origin {
        /// A workflow file: it goes when the file no longer names it.
        File = "file",
        /// `new`: it stays until it is removed.
        New = "new",
        /// The system: the user.
        System = "system",
    }
}

/// A member of a scope, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Agent {
    /// Its name in the scope
    pub name: Name,
    /// Where it is
    pub scope: Scope,
    /// Name and scope as they are written: `alice@review:pr-123`
    pub target: Target,
    /// What it is
    pub kind: MemberKind,
    /// Role in the team
    pub role: Option<String>,
    /// Name that people see
    pub display_name: Option<String>,
    /// The model it uses, as `provider/model`
    pub model: Option<String>,
    /// Backend of its runs
    pub backend: Option<String>,
    /// What is wanted of it
    pub wanted: Wanted,
    /// What it is doing
    pub state: AgentState,
    /// Why it is paused, and what mends that
    pub paused_reason: Option<String>,
    /// When it is started again: its model or a delivery waits until then
    pub not_before: Option<Timestamp>,
    /// Its model, while that cannot be reached: in its live run, or before the next one
    pub away: Option<ModelAway>,
    /// The label it gave itself for the time of its run
    pub status: Option<String>,
    /// What it says it is working on
    pub task: Option<String>,
    /// How many messages lie in its inbox
    pub unread: i64,
    /// Its live run
    pub run: Option<RunId>,
    /// The agent that hired it
    pub parent: Option<Name>,
    /// What all its runs have used
    #[serde(default)]
    pub used: AgentUsed,
}

/// What all runs of an agent have used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentUsed {
    /// Tokens, read and written
    pub tokens: i64,
    /// Dollars, as far as they are known; none if no run has a price
    pub cost: Option<f64>,
}

/// A member with all that is known of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentDetail {
    /// The member
    pub agent: Agent,
    /// What made it
    pub origin: Origin,
    /// Whether another agent hired it, also if that agent was removed
    #[serde(default)]
    pub hired: bool,
    /// When it was made
    pub created_at: Timestamp,
    /// Since when it is paused
    pub paused_at: Option<Timestamp>,
    /// Its system prompt
    pub system: Option<String>,
    /// Where its tools and programs work
    pub cwd: Option<String>,
    /// Its home: `true` for the usual place, or a path
    pub home: Option<Home>,
    /// Names of environment variables that are passed on to its worker
    pub env: Vec<String>,
    /// Maximum time of a run
    pub timeout: Interval,
    /// How many attempts a message of it has
    pub attempts: i64,
    /// The tools that the daemon offers it
    pub tools: Vec<String>,
    /// What its workflow may use
    pub limits: Limits,
    /// When it runs by itself
    #[serde(default)]
    pub schedules: Vec<Schedule>,
    /// How many messages of it are held
    pub held: i64,
    /// How many dead letters it has
    pub dead: i64,
    /// The session that its next run goes on with, if it has one
    pub session: Option<Session>,
    /// Its newest runs, newest first
    pub runs: Vec<Run>,
}

/// A list of members.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Agents {
    /// The members, by scope and name
    pub agents: Vec<Agent>,
    /// Their live runs
    #[serde(default)]
    pub runs: Vec<Run>,
}

/// Create a persistent agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct AgentCreate {
    /// Its name: lower-case letters, digits, `-` and `_`
    pub name: Name,
    /// The model it uses, as `provider/model`
    #[cfg_attr(feature = "cli", arg(long))]
    pub model: Option<String>,
    /// How much its model thinks before it answers
    #[cfg_attr(feature = "cli", arg(long, value_enum))]
    pub thinking: Option<Thinking>,
    /// Backend of its runs [default: default]
    #[cfg_attr(feature = "cli", arg(long))]
    pub backend: Option<String>,
    /// Its system prompt
    #[cfg_attr(feature = "cli", arg(long, value_name = "TEXT"))]
    pub system: Option<String>,
    /// Role in the team
    #[cfg_attr(feature = "cli", arg(long))]
    pub role: Option<String>,
    /// Name that people see
    #[cfg_attr(feature = "cli", arg(long))]
    pub display_name: Option<String>,
    /// The script that the mock backend plays, as YAML
    #[cfg_attr(feature = "cli", arg(skip))]
    pub script: Option<String>,
    /// The folder its tools work in
    #[cfg_attr(feature = "cli", arg(skip))]
    pub cwd: Option<String>,
    /// Home of the agent [default path: in the state directory]
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "PATH", num_args = 0..=1, default_missing_value = "true")
    )]
    pub home: Option<Home>,
    /// Environment variable for its worker (repeatable)
    #[serde(default)]
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME"))]
    pub env: Vec<String>,
    /// Maximum time of a run, such as `10m`
    #[cfg_attr(feature = "cli", arg(long, value_name = "SPAN"))]
    pub timeout: Option<Interval>,
    /// Times of its own runs: interval, cron line, date and time
    #[cfg_attr(feature = "cli", arg(long, value_name = "SPEC"))]
    pub schedule: Option<Due>,
    /// Interval at which it looks after its home, such as `30m`
    #[cfg_attr(feature = "cli", arg(long, value_name = "SPAN", requires = "home"))]
    pub heartbeat: Option<Interval>,
    /// Hours with heartbeats, such as `08:00-22:00`
    #[cfg_attr(feature = "cli", arg(long, value_name = "HOURS", requires = "heartbeat"))]
    pub hours: Option<Hours>,
    /// The caller's search path for programs
    #[cfg_attr(feature = "cli", arg(skip))]
    pub path_env: Option<String>,
}

/// List the members of a scope, or of all scopes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentList {}

/// Show one member whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentShow {
    /// The member, such as `alice` or `alice@review`
    #[serde(serialize_with = "target::whole")]
    pub target: Target,
}

/// Stop an agent: a live run has a few seconds to end, its deliveries stay, and nothing wakes it
/// until it is resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentStop {
    /// The agent, such as `alice` or `alice@review`
    pub target: Target,
    /// End a live run at once
    #[serde(default)]
    pub now: bool,
}

/// Make a stopped or paused agent active again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentResume {
    /// The agent, such as `alice` or `alice@review`
    pub target: Target,
}

/// Have the next run of an agent begin a new session, with a summary of what was done in the old.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentNewSession {
    /// The agent, such as `alice` or `alice@review`
    pub target: Target,
}

/// Start an agent now: waiting deliveries are due at once; without due ones it gets one run with
/// what is in its inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentWake {
    /// The agent, such as `alice` or `alice@review`
    pub target: Target,
}

/// Remove an agent that is not running. Its messages stay; a new agent of its name inherits nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentRemove {
    /// The agent, such as `alice` or `alice@review`
    pub target: Target,
}

/// What was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Removed {
    /// The member or scope that is gone
    pub target: Target,
}

/// List your team: names, roles, status, and which one is you.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamMembers {}

/// A member as its team sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TeamMember {
    /// Its name: write `@name` to reach it
    pub name: Name,
    /// Name that people see
    pub display_name: Option<String>,
    /// Role in the team
    pub role: Option<String>,
    /// What it is
    pub kind: MemberKind,
    /// What it is doing
    pub state: AgentState,
    /// The label it gave itself
    pub status: Option<String>,
    /// What it says it is working on
    pub task: Option<String>,
    /// Whether this is you
    pub you: bool,
}

/// A team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Team {
    /// Where the team is
    pub scope: Scope,
    /// Its members, by name
    pub members: Vec<TeamMember>,
    /// How many more it has, of a large team in a prompt or the answer of a tool
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<usize>,
}

impl Team {
    /// The first members by name, and always the one who asks.
    #[must_use]
    pub fn at_most(mut self, most: usize) -> Self {
        let you = self.members.iter().position(|member| member.you).unwrap_or(0);
        if let Some(last) = most.checked_sub(1).filter(|last| you > *last) {
            self.members.swap(last, you);
        }
        self.more = self.members.len().checked_sub(most).filter(|more| *more > 0);
        self.members.truncate(most);
        self
    }
}

/// Tell the team what you do, until your run ends. Empty text clears it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MyStatusSet {
    /// Label, such as `reviewing`
    pub state: Option<String>,
    /// In a sentence
    pub task: Option<String>,
}

/// The label as it now stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MyStatus {
    /// The short label
    pub state: Option<String>,
    /// What the member is working on
    pub task: Option<String>,
}

op!(AgentCreate "agent_new": post "/agents", write => Agent);
op!(AgentList "agent_list": get "/agents", read => Agents);
op!(AgentShow "agent_show": get "/agents/{target}", read => AgentDetail);
op!(AgentStop "agent_stop": post "/agents/{target}/stop", write, tool, idempotent => Agent);
op!(AgentResume "agent_resume": post "/agents/{target}/resume", write, idempotent => Agent);
op!(AgentNewSession "agent_new_session": post "/agents/{target}/new-session", write, idempotent
    => Agent);
op!(AgentWake "agent_wake": post "/agents/{target}/wake", write => Agent);
op!(AgentRemove "agent_remove": delete "/agents/{target}", write => Removed);
op!(TeamMembers "team_members": no route, read, tool => Team);
op!(MyStatusSet "my_status_set": no route, write, tool, idempotent => MyStatus);
