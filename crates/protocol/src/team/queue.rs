//! What waits for an agent, in the order in which it is worked on, and what each of it waits for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::op,
    team::{
        conversation::Conversation,
        inbox::{DeliveryState, Reason},
    },
    terms::{MessageId, Name, Target, Timestamp, words::words},
};

words! {
    /// What will start an agent.
    pub enum Cause {
        /// A text names the agent.
        Mention = "mention",
        /// A message is addressed to it.
        To = "to",
        /// A text says `@all`.
        All = "all",
        /// It is in a group.
        Group = "group",
        /// A message of it is answered.
        Reply = "reply",
        /// A schedule fired.
        Schedule = "schedule",
        /// It is to look after its home.
        Heartbeat = "heartbeat",
        /// A proposal concerns it.
        Proposal = "proposal",
        /// The user answered a question of it.
        Answer = "answer",
        /// The user woke it.
        Wake = "wake",
    }
}

impl From<Reason> for Cause {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Mention => Self::Mention,
            Reason::To => Self::To,
            Reason::All => Self::All,
            Reason::Group => Self::Group,
            Reason::Reply => Self::Reply,
            Reason::Schedule => Self::Schedule,
            Reason::Heartbeat => Self::Heartbeat,
            Reason::Proposal => Self::Proposal,
            Reason::Answer => Self::Answer,
        }
    }
}

words! {
    /// What has to happen before an agent starts.
    pub enum WaitsFor {
        /// Nothing: it is started in its turn.
        Turn = "turn",
        /// The agent's live run must end, or read it.
        Run = "run",
        /// Its time, after an attempt that failed.
        Backoff = "backoff",
        /// The agent's time, because its model's service was away.
        Model = "model",
        /// The agent is paused.
        Paused = "paused",
        /// The agent is stopped.
        Stopped = "stopped",
        /// The agent's workflow takes no work.
        Workflow = "workflow",
        /// As many runs are live as may be.
        MaxRuns = "max_runs",
        /// A budget is used up.
        Budget = "budget",
        /// It is held until the user decides.
        Held = "held",
        /// It is a dead letter until the user retries it.
        Dead = "dead",
        /// The agent works outside and fetches it.
        Outside = "outside",
    }
}

/// One thing that waits for an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Queued {
    /// Its place, from 1
    pub position: i64,
    /// What will start the agent
    pub reason: Cause,
    /// Who sent it; absent for a wake
    pub sender: Option<Name>,
    /// The message; none for a wake
    pub message: Option<MessageId>,
    /// The conversation it is in
    pub group: Option<Conversation>,
    /// Where it is on its way
    pub state: Option<DeliveryState>,
    /// How many attempts it has used
    pub attempts: i64,
    /// Since when it waits; not known of a wake
    pub since: Option<Timestamp>,
    /// Before when it does not start
    pub not_before: Option<Timestamp>,
    /// What it waits for, in a word
    pub waits_for: WaitsFor,
    /// The same in a sentence
    pub text: String,
    /// A command that would change it
    pub hint: Option<String>,
}

/// What waits for an agent: what is due, then what waits for its time, then what waits for the
/// person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Queue {
    /// In order
    pub queue: Vec<Queued>,
    /// Whether there is more
    pub more: bool,
}

/// List what waits for an agent, in order, and what each of it waits for. A message that wakes
/// no one is in its inbox alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentQueue {
    /// The agent, such as `alice` or `alice@review`
    pub target: Target,
    /// How many at most (50)
    pub limit: Option<u32>,
}

op!(AgentQueue "agent_queue": get "/agents/{target}/queue", read => Queue);
