//! Sessions: what an agent's own loop said and was told in earlier runs, so that a later one goes
//! on where they ended.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::terms::{time::Timestamp, words::words};

words! {
    /// What a session is for.
    pub enum SessionKind {
        /// The agent's conversation, which its runs go on with.
        Main = "main",
        /// That of one piece of work alone, which only a further attempt at it goes on with.
        Isolated = "isolated",
        /// One with a person.
        Chat = "chat",
    }
}

words! {
    /// What a stored turn is.
    pub enum TurnRole {
        /// What was done in turns that are gone.
        Summary = "summary",
        /// What a run begins with.
        Prompt = "prompt",
        /// Results of tools, and what came meanwhile.
        Told = "told",
        /// What the model answered.
        Answered = "answered",
        /// The name that an agent program has for its own session.
        Program = "program",
    }
}

/// A turn as it is stored. What is in it only the worker knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionTurn {
    /// What it is
    pub role: TurnRole,
    /// All of it, as JSON
    pub content: String,
    /// How long the session was with it, in tokens, as the model's server counted
    pub tokens: Option<i64>,
}

/// A command with which a person goes on with an agent program's session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ByHand {
    /// The program, as the workflow file names it, or else by its usual name
    pub program: String,
    /// Its arguments
    pub args: Vec<String>,
    /// Variables of its environment that say where it keeps its sessions
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

/// What a turn of [`TurnRole::Program`] tells others than the worker.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ProgramTurn {
    /// The command for its session; `None` for a program that has none
    pub by_hand: Option<ByHand>,
}

/// The session that a run goes on with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionConfig {
    /// Its turns, oldest first; none at its beginning
    pub turns: Vec<SessionTurn>,
    /// How long it may be, in bytes: beyond that its older part becomes a summary
    pub most: usize,
    /// Whether only a summary of it is kept, because the user began a new one
    #[serde(default)]
    pub begins_anew: bool,
}

/// A session, without what is said in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Session {
    /// What it is for
    pub kind: SessionKind,
    /// How many turns are kept of it
    pub turns: i64,
    /// How long they are, in bytes
    pub bytes: i64,
    /// How long they are, in tokens, as far as that is known
    pub tokens: Option<i64>,
    /// How many runs it has had
    pub runs: i64,
    /// What all of them have cost, in dollars, as far as that is known; none if nothing is
    pub cost: Option<f64>,
    /// When it began
    pub created_at: Timestamp,
    /// When it last grew
    pub updated_at: Timestamp,
}
