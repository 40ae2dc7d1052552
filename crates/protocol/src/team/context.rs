//! What the next run of an agent would be given.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::op,
    team::run::RunKind,
    terms::{
        target::{self, Target},
        words::words,
    },
};

words! {
    /// Part of what a model reads.
    pub enum ContextPart {
        /// The system prompt.
        System = "system",
        /// The conversation of earlier runs.
        Session = "session",
        /// The prompt of the run.
        Prompt = "prompt",
    }
}

/// Section of what a model reads, with its length.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextSection {
    /// Where it is
    pub part: ContextPart,
    /// Its heading; `None` for what stands before the first one
    pub heading: Option<String>,
    /// Length in characters, with the heading
    pub chars: usize,
}

/// What the next run of an agent would be given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextShown {
    /// The agent
    pub target: Target,
    /// Kind of the run
    pub kind: RunKind,
    /// How many messages it would take
    pub messages: usize,
    /// The system prompt, if it has one
    pub system: Option<String>,
    /// The prompt
    pub prompt: String,
    /// Sections in their order, with their lengths
    pub sections: Vec<ContextSection>,
    /// Length of all of it in characters
    pub chars: usize,
}

/// Show what the next run of an agent would be given: its prompts, word for word, and their lengths.
/// Nothing is started, and its messages stay where they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextShow {
    /// The agent
    #[serde(serialize_with = "target::whole")]
    pub target: Target,
}

op!(ContextShow "context_show": get "/agents/{target}/context", read => ContextShown);
