//! A run's transcript, in blocks that grow.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    team::run::state::RunState,
    terms::{Timestamp, words::words},
};

words! {
    /// What a block of a transcript is.
    pub enum BlockKind {
        /// The system prompt, as it was sent.
        System = "system",
        /// The prompt, as it was sent.
        Prompt = "prompt",
        /// What the model says.
        Text = "text",
        /// What the model thinks.
        Thinking = "thinking",
        /// A tool call; its text is the arguments, as JSON.
        ToolCall = "tool_call",
        /// What a tool answered.
        ToolResult = "tool_result",
        /// What the worker has to say of itself.
        Notice = "notice",
        /// What went wrong.
        Error = "error",
    }
}

words! {
    /// Whether a block still grows.
    pub enum BlockState {
        /// It grows.
        Open = "open",
        /// It is whole.
        Done = "done",
        /// It was broken off: what came after it begins anew, or nothing came, as its run ended.
        Cut = "cut",
    }
}

/// A block of a transcript as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Block {
    /// Its place in the transcript, from 0
    pub n: i64,
    /// What it is
    pub kind: BlockKind,
    /// Whether it still grows
    pub state: BlockState,
    /// The tool's name, of calls and results
    pub name: Option<String>,
    /// Its text, or the stored part of it
    pub text: String,
    /// When it began
    pub started_at: Timestamp,
    /// When it was whole
    pub ended_at: Option<Timestamp>,
}

/// One event of `GET /runs/{id}/output`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub enum OutputEvent {
    /// A block begins, or has ended.
    Block {
        /// Number of the block, from 0
        n: i64,
        /// What it is
        kind: BlockKind,
        /// Whether it still grows
        state: BlockState,
        /// The tool's name, of calls and results
        name: Option<String>,
        /// When it began
        at: Timestamp,
        /// When it was whole: a block that is stored whole begins with it
        ended_at: Option<Timestamp>,
    },
    /// A block grows.
    Delta {
        /// Number of the block
        n: i64,
        /// Where the text belongs in it, in bytes
        off: i64,
        /// What is added
        text: String,
    },
    /// The run has ended.
    End {
        /// State of the run at its end
        state: RunState,
        /// What it said when it failed
        error: Option<String>,
    },
}
