//! One question to an agent, and the answer as it grows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    error::ErrorBody,
    op::op,
    team::{channel::Sent, run::state::Usage},
    terms::{MessageId, RunId, SessionId, Target},
};

/// Ask an agent one question: a direct message, and a run for it alone. It goes on with the agent's
/// main session, unless it names another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The agent, such as `alice` or `alice@review`
    #[serde(alias = "agentId", alias = "agentName")]
    pub agent: Target,
    /// The question
    pub message: String,
    /// Which session it goes on with
    #[serde(default, alias = "sessionId")]
    pub session: Option<SessionId>,
    /// Begin a session of its own
    #[serde(default)]
    pub new: bool,
}

/// A question that is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Asked {
    /// What became of its message
    pub sent: Sent,
    /// The chat that it belongs to; `None` for the main session
    pub session: Option<SessionId>,
}

impl Ask {
    /// A question in the main session.
    pub const fn new(agent: Target, message: String) -> Self {
        Self { agent, message, session: None, new: false }
    }
}

/// A complete answer to [`Ask`], as `POST /serve` gives it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The final text
    pub content: String,
    /// Whether the run said, sent, wrote or changed anything
    pub answered: bool,
    /// Tokens
    pub usage: Usage,
    /// Dollars; none if unknown
    pub cost: Option<f64>,
    /// The run that answered
    pub run: RunId,
    /// The session that it went on with; `None` for a backend without sessions
    pub session: Option<SessionId>,
}

/// One event of `POST /run`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub enum AskEvent {
    /// The question is stored and waits for its run.
    Queued {
        /// The message that asks
        message: MessageId,
        /// The chat that it belongs to; `None` for the main session
        session: Option<SessionId>,
    },
    /// A run has it.
    Started {
        /// The run
        run: RunId,
    },
    /// The answer grows.
    Chunk {
        /// Who says it
        agent: Target,
        /// What is added
        text: String,
    },
    /// The agent thinks.
    Thinking {
        /// What is added
        text: String,
    },
    /// The agent calls a tool.
    Tool {
        /// The tool
        name: String,
        /// Its arguments, as JSON text
        args: String,
    },
    /// A tool has answered.
    ToolResult {
        /// The tool
        name: String,
        /// What it answered
        text: String,
    },
    /// An attempt failed, and there will be another.
    Notice {
        /// What happened
        text: String,
    },
    /// The answer is whole.
    Done(Answer),
    /// There will be no answer.
    Error(ErrorBody),
}

op!(Ask "ask": no route, write, text => Asked);
