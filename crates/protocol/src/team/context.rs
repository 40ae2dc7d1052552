//! What the next run of an agent would be given.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::op,
    team::{
        agent::Team, channel::Messages, document::DocumentText, inbox::InboxPage, run::RunKind,
    },
    terms::{RunId, Target, target, words::words},
};

/// What a run is given to work with, and its prompt is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Context {
    /// The messages of this run
    pub inbox: InboxPage,
    /// The newest messages of the channel
    pub channel: Messages,
    /// Document of the team, if it exists
    pub document: Option<DocumentText>,
    pub team: Team,
}

impl Context {
    /// The whole text of its messages.
    pub fn mail(&self) -> String {
        let texts = self.inbox.messages.iter().map(|mail| mail.message.content.as_str());
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// Take what a run is given to work with: its deliveries, which are leased to it from then on, the
/// newest messages of the channel, the team and its document. Only the run itself may.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextTake {
    /// The run
    pub id: RunId,
}

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
    /// The system prompt; `None` if it has none, or if its session keeps one of an earlier run
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

op!(ContextTake "context_take": post "/runs/{id}/context", write, idempotent => Context);
op!(ContextShow "context_show": get "/agents/{target}/context", read => ContextShown);
