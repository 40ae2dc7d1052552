//! What a member of a scope is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemberKind {
    /// Works in runs that the daemon starts.
    Agent,
    /// The person at the command line, the control room or a client of their own.
    Person,
    /// Works outside: the daemon never starts it.
    External,
    /// The daemon itself, as a sender.
    System,
}
