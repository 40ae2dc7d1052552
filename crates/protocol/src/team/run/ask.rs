//! One question to an agent, and the answer as it grows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    error::ErrorBody,
    op::op,
    team::{channel::Sent, run::state::Usage},
    terms::{
        id::{MessageId, RunId},
        target::Target,
    },
};

/// Ask an agent one question: a direct message, and a run for it alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// Whom
    pub agent: Target,
    /// What
    pub message: String,
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
}

/// One event of `POST /run`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub enum AskEvent {
    /// The question is stored and waits for its run.
    Queued {
        /// The message that asks
        message: MessageId,
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

op!(Ask "ask": no route, write, text => Sent);
