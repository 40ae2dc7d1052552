//! Documents: named texts that a scope shares, every version kept for a while.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::op,
    terms::{Name, RunId, Scope, Timestamp},
};

/// The document that is meant when none is named.
pub const DEFAULT_DOCUMENT: &str = "notes.md";

/// Returns what documents are sorted by: their path without regard to case.
///
/// Lower case of the upper case folds what lower case alone keeps apart, such as ß and ss. It takes
/// a few letters apart, such as ǰ: the daemon stores the NFC of this key and lists by that.
pub fn path_key(file: &str) -> String {
    file.to_uppercase().to_lowercase()
}

/// A document without its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Document {
    /// Where it is
    pub scope: Scope,
    /// Its path
    pub file: String,
    /// Its newest version, from 1
    pub version: i64,
    /// The only member that may write it; none means everyone
    pub owner: Option<Name>,
    /// Who wrote the newest version
    pub author: Name,
    /// How long it is, in bytes
    pub bytes: i64,
    /// When it was written
    pub updated_at: Timestamp,
}

/// A document's text, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentText {
    /// Its path
    pub file: String,
    /// The text, or the part that was asked for
    pub content: String,
    /// Which version this is
    pub version: i64,
    /// The only member that may write it; none means everyone
    pub owner: Option<Name>,
    /// How long the whole is, in characters
    pub chars: i64,
    /// Whether there is more after this part
    pub more: bool,
}

/// The documents of a scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Documents {
    /// By path without regard to case
    pub documents: Vec<Document>,
    /// How to find the others, where a tool does not list all
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<String>,
}

/// One version of a document, without its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentVersion {
    /// Which, from 1
    pub version: i64,
    /// Who wrote it
    pub author: Name,
    /// The run that wrote it
    pub run: Option<RunId>,
    /// How long it is, in bytes
    pub bytes: i64,
    /// When it was written
    pub created_at: Timestamp,
}

/// The kept versions of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentVersions {
    /// Its path
    pub file: String,
    /// Newest first
    pub versions: Vec<DocumentVersion>,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentWritten {
    /// Its path
    pub file: String,
    /// The version that now stands
    pub version: i64,
}

/// Read a team document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DocRead {
    /// Path (`notes.md`)
    pub file: Option<String>,
    /// An earlier version
    pub version: Option<i64>,
    /// First character (0)
    pub offset: Option<u32>,
    /// Most characters (tools: 40000)
    pub limit: Option<u32>,
}

impl DocRead {
    /// The request for what a prompt shows of the team's document.
    pub fn of_prompt() -> Self {
        Self { limit: Some(40_000), ..Self::default() }
    }
}

/// Replace a document. Read it first: an unread version is not overwritten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocWrite {
    /// New text
    pub content: String,
    /// Path (`notes.md`)
    pub file: Option<String>,
    /// Only over this version; 0: only if missing
    pub if_version: Option<i64>,
}

/// Add text at the end of a document, or create it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocAppend {
    /// Text to add
    pub content: String,
    /// Path (`notes.md`)
    pub file: Option<String>,
}

/// Create a document that does not exist yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocCreate {
    /// Text
    pub content: String,
    /// Path (`notes.md`)
    pub file: Option<String>,
}

/// Say who alone may write a document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DocOwner {
    /// Path (`notes.md`)
    pub file: Option<String>,
    /// A member; without one it is as the workflow says for all its documents
    pub owner: Option<Name>,
}

/// List your team's documents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocList {}

/// List the kept versions of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DocVersions {
    /// Path (`notes.md`)
    pub file: Option<String>,
}

op!(DocRead "team_doc_read": get "/docs/{scope}/{*file}", write, tool, idempotent, fresh,
    etag "version" => DocumentText);
op!(DocWrite "team_doc_write": put "/docs/{scope}/{*file}", write, tool, idempotent, text,
    etag "version", if_match "if_version" => DocumentWritten);
op!(DocAppend "team_doc_append": post "/docs/{scope}/{*file}", write, tool, text, etag "version"
    => DocumentWritten);
// Over HTTP it is a [`DocWrite`] over version 0.
op!(DocCreate "team_doc_create": no route, write, tool, text => DocumentWritten);
op!(DocOwner "team_doc_owner": put "/doc-owners/{scope}/{*file}", write, idempotent => Document);
op!(DocList "team_doc_list": get "/docs/{scope}", read, tool => Documents);
op!(DocVersions "team_doc_versions": get "/doc-versions/{scope}/{*file}", read => DocumentVersions);
