//! The tools of the workspace, and which of them an agent may use.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::terms::{forms, words::words};

words! {
    /// A workspace tool; its name is the same for every backend.
    pub enum Tool {
        /// Reads files
        Read = "read",
        /// Writes whole files
        Write = "write",
        /// Changes parts of files
        Edit = "edit",
        /// Finds files by name
        Glob = "glob",
        /// Finds text in files
        Grep = "grep",
        /// Runs commands
        Shell = "shell",
        /// Fetches web pages
        Fetch = "fetch",
    }
}

/// Which tools an agent uses without asking, after asking the user, and never.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Permissions {
    /// Used without asking
    #[serde(deserialize_with = "tools")]
    pub allow: Vec<Tool>,
    /// Used if the user allows it, each time
    #[serde(deserialize_with = "tools")]
    pub ask: Vec<Tool>,
    /// Never used
    #[serde(deserialize_with = "tools")]
    pub deny: Vec<Tool>,
}

/// The names that Claude Code has for the tools of a workspace.
pub const CLAUDE_TOOLS: [(Tool, &str); 7] = [
    (Tool::Read, "Read"),
    (Tool::Write, "Write"),
    (Tool::Edit, "Edit"),
    (Tool::Glob, "Glob"),
    (Tool::Grep, "Grep"),
    (Tool::Shell, "Bash"),
    (Tool::Fetch, "WebFetch"),
];

/// What a field that lists tools expects.
pub const LIST_OF_TOOLS: &str = "a list of tools";

/// For a field that lists tools.
pub fn tools<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Tool>, D::Error> {
    forms::list(deserializer, LIST_OF_TOOLS)
}
