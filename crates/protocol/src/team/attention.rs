//! What needs the user, and why something is as it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::op,
    terms::{Scope, Timestamp, words::words},
};

words! {
    /// What kind of thing needs the user. The order is the order of the list: what blocks work, what
    /// failed, what is held, what is only to be read.
    #[derive(PartialOrd, Ord)]
    pub enum AttentionKind {
        /// A question or a permission waits for an answer.
        Question = "question",
        /// A vote waits for the user.
        Vote = "vote",
        /// A message is a dead letter: its last attempt failed.
        Dead = "dead",
        /// An agent is paused.
        Paused = "paused",
        /// A workflow cannot go on.
        Stalled = "stalled",
        /// The setup of a workflow of `start` failed.
        Failed = "failed",
        /// A run has said nothing for as long as `runs.silent`.
        Silent = "silent",
        /// A message is held.
        Held = "held",
        /// Messages to the user are unread, in a workflow that has not ended.
        Mention = "mention",
    }
}

/// One thing that needs the user. It is gone when its cause is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttentionItem {
    /// What kind of thing
    pub kind: AttentionKind,
    /// What it is about: an agent, a workflow, a question (`q_7`)
    pub subject: String,
    /// Where it is
    pub scope: Scope,
    /// What is the case
    pub reason: String,
    /// A command that helps
    pub hint: Option<String>,
    /// Since when
    pub since: Timestamp,
}

/// What needs the user in one scope; the body of `attention.changed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScopeAttention {
    /// The workflow
    pub scope: Scope,
    /// All of it
    pub items: Vec<AttentionItem>,
}

/// What needs the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttentionList {
    /// The most pressing first, and of one kind the oldest
    pub items: Vec<AttentionItem>,
}

/// List what needs the user: questions, votes, dead letters, paused agents, stalled workflows, failed
/// starts, silent runs, held messages, unread messages. Messages of workflows that have ended are only
/// unread.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attention {}

/// Tell the chain of causes of a run, what became of a message, or why an agent or a workflow is not
/// working.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Why {
    /// A run (`run_12`), a message (`msg_12`), an agent (`alice@review`) or a workflow (`@review`)
    pub subject: String,
}

/// One link of an explanation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Because {
    /// What the link is about: a run, a message, an agent
    pub subject: String,
    /// What is the case
    pub text: String,
    /// When it came to be so
    pub at: Option<Timestamp>,
}

/// An explanation: the first link is nearest to the subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// What was asked about
    pub subject: String,
    /// How it stands, in a word
    pub state: String,
    /// Why, link by link
    pub because: Vec<Because>,
    /// A command that would change it
    pub hint: Option<String>,
}

op!(Attention "attention": get "/attention", read => AttentionList);
op!(Why "why": get "/why/{subject}", read => Explanation);
