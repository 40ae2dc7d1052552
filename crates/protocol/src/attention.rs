//! What needs the person, and why something is as it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::{Access, Op, Route},
    target::Scope,
    time::Timestamp,
};

/// What kind of thing needs the person. The order is the order of the list.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum AttentionKind {
    /// A question waits for an answer.
    Question,
    /// Mail was given up.
    Dead,
    /// An agent is paused.
    Paused,
    /// Mail is held.
    Held,
    /// A workflow cannot go on.
    Stalled,
    /// A vote waits for the person.
    Vote,
    /// Messages to the person are unread.
    Mention,
}

/// One thing that needs the person. It is gone when its cause is.
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

/// What needs the person in one scope; the body of `attention.changed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScopeAttention {
    /// Where
    pub scope: Scope,
    /// All of it
    pub items: Vec<AttentionItem>,
}

/// What needs the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttentionList {
    /// By scope, the most pressing first
    pub items: Vec<AttentionItem>,
}

/// List what needs the person: questions, given up and held mail, paused agents, stalled
/// workflows, unread messages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attention {}

/// Tell the chain of causes of a run, or why an agent or a workflow is not working.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Why {
    /// A run (`run_12`), an agent (`alice@review`) or a workflow (`@review`)
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

impl Op for Attention {
    const NAME: &'static str = "attention";
    const ROUTE: Option<Route> = Some(Route::get("/attention"));
    const ACCESS: Access = Access::Read;
    type Output = AttentionList;
}

impl Op for Why {
    const NAME: &'static str = "why";
    const ROUTE: Option<Route> = Some(Route::get("/why/{subject}"));
    const ACCESS: Access = Access::Read;
    type Output = Explanation;
}
