//! What an agent does with its own home, by its tools.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::op::op;

/// Read a file of your home.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HomeRead {
    /// Such as `USER.md` or `memory/long-term.md`
    pub file: String,
    /// First character (0)
    pub offset: Option<u32>,
    /// Most characters (40000)
    pub limit: Option<u32>,
}

/// Replace IDENTITY.md, USER.md or memory/long-term.md. Earlier versions are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HomeWrite {
    /// Which of the three
    pub file: String,
    /// New text
    pub content: String,
}

/// Say that your first run's work is done: BOOTSTRAP.md is removed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BootstrapDone {}

/// Note something in your memory: in today's file, or for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryAdd {
    /// What to note
    pub text: String,
    /// In long-term memory
    pub long_term: Option<bool>,
}

/// Find entries of your whole memory that have all these words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemorySearch {
    /// Words
    pub query: String,
    /// Most entries (10)
    pub limit: Option<u32>,
}

/// Read your long-term memory, or the file of a day.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryRead {
    /// `today`, `yesterday` or `2026-11-25` (long-term memory)
    pub day: Option<String>,
    /// First character (0)
    pub offset: Option<u32>,
    /// Most characters (40000)
    pub limit: Option<u32>,
}

/// A part of a file of a home.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HomePart {
    /// Path below the home
    pub file: String,
    /// The text; what is not UTF-8 is replaced
    pub content: String,
    /// Where it begins, in characters
    pub offset: usize,
    /// How many characters the file has
    pub chars: usize,
}

/// A file of a home that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HomeWritten {
    /// Path below the home
    pub file: String,
}

/// An entry of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryHit {
    /// Path below the home
    pub file: String,
    /// Where it begins there, in characters
    pub offset: usize,
    /// The entry, or the part around the first word
    pub text: String,
}

/// Entries that were found: long-term memory first, then days from the newest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryFound {
    /// The entries
    pub hits: Vec<MemoryHit>,
    /// Whether there are more
    pub more: bool,
    /// How many files were not searched, because there is too much
    pub left_out: usize,
}

op!(HomeRead "home_read": no route, read, tool => HomePart);
op!(HomeWrite "home_write": no route, write, tool, idempotent => HomeWritten);
op!(BootstrapDone "bootstrap_done": no route, write, tool, idempotent => HomeWritten);
op!(MemoryAdd "memory_add": no route, write, tool => HomeWritten);
op!(MemorySearch "memory_search": no route, read, tool => MemoryFound);
op!(MemoryRead "memory_read": no route, read, tool => HomePart);
