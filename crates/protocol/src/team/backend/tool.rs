//! The tools of the workspace, and which of them an agent may use.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::terms::forms;

/// A tool of the workspace, by the name that is the same for every backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tool {
    /// Reads files
    Read,
    /// Writes whole files
    Write,
    /// Changes parts of files
    Edit,
    /// Finds files by name
    Glob,
    /// Finds text in files
    Grep,
    /// Runs commands
    Shell,
    /// Fetches web pages
    Fetch,
}

/// Which tools an agent uses unasked, which it asks the person about, and which never.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Permissions {
    /// Used unasked
    #[serde(deserialize_with = "tools")]
    pub allow: Vec<Tool>,
    /// Used if the person says so each time
    #[serde(deserialize_with = "tools")]
    pub ask: Vec<Tool>,
    /// Never used
    #[serde(deserialize_with = "tools")]
    pub deny: Vec<Tool>,
}

impl Tool {
    /// All there are.
    pub const ALL: [Self; 7] =
        [Self::Read, Self::Write, Self::Edit, Self::Glob, Self::Grep, Self::Shell, Self::Fetch];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Edit => "edit",
            Self::Glob => "glob",
            Self::Grep => "grep",
            Self::Shell => "shell",
            Self::Fetch => "fetch",
        }
    }
}

/// For a field that lists tools.
pub fn tools<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Tool>, D::Error> {
    forms::list(deserializer, "a list of tools")
}
