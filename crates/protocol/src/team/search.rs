//! Search: messages, documents and resources by their words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::op,
    team::conversation::Conversation,
    terms::{MessageId, Name, ResourceId, Scope, Timestamp, words::words},
};

words! {
    /// What was found.
    pub enum HitKind {
        /// What a member has said.
        Message = "message",
        /// What the daemon has said.
        System = "system",
        /// A document as it now stands.
        Document = "document",
        /// A text that was stored for messages to point to.
        Resource = "resource",
    }
}

/// A part of a snippet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Span {
    /// Its first character, counted from 0
    pub start: u32,
    /// The character after its last
    pub end: u32,
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hit {
    /// What it is
    pub kind: HitKind,
    /// Where it is
    pub scope: Scope,
    /// The message
    pub message: Option<MessageId>,
    /// The conversation that the message is in
    pub group: Option<Conversation>,
    /// The document's path
    pub file: Option<String>,
    /// The resource; for a long message, the resource with its whole text
    pub resource: Option<ResourceId>,
    /// Who said, made or last wrote it
    pub by: Name,
    /// Time at which it was said, made or last written
    pub at: Timestamp,
    /// The part of its text around what was found, in one line
    pub snippet: String,
    /// Where in the snippet the words are that were asked for
    pub matches: Vec<Span>,
}

/// What was found, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hits {
    /// What was found
    pub hits: Vec<Hit>,
    /// Whether there is more
    pub more: bool,
    /// Where to go on, if there is more
    pub next: Option<i64>,
}

/// Find messages, documents and resources by words, newest first. Also `"a phrase"`, `word*`,
/// `from:alice`, `to:bob`, `in:team-a`, `kind:message`, `before:2026-01-31`, `after:2h`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// Words to find
    pub text: String,
    /// Most hits (20)
    pub limit: Option<u32>,
    /// `next` of an earlier answer
    pub next: Option<i64>,
}

op!(Search "team_search": get "/search", read, tool => Hits);
