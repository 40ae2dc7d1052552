//! Sessions: what an agent said and was told in earlier runs, so that a later one goes on where they
//! ended.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::op,
    team::{
        backend::{in_shell, try_fill},
        run::{RunKind, RunState},
    },
    terms::{
        MessageId, Name, RunId, SessionId, Target, Timestamp, Variable, shell::quoted, target,
        words::words,
    },
};

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
    /// Variables of its environment that say where it keeps its sessions, and where its model is
    /// served
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Further variables, as the agent's `command:` has them, and the key of its model: `$NAME`
    /// stands for a key or an environment variable
    #[serde(default)]
    pub declared: BTreeMap<String, String>,
}

impl ByHand {
    /// Returns the variables of its environment, where `find` knows what `$NAME` stands for. An
    /// error is a name that has no value.
    pub fn variables(
        &self,
        find: impl Fn(&Variable) -> Option<String>,
    ) -> Result<BTreeMap<String, String>, Variable> {
        let declared = self.declared.iter().filter(|(name, _)| !self.env.contains_key(*name));
        let filled = |(name, value): (&String, &String)| {
            try_fill(value, &find).map(|value| (name.clone(), value))
        };
        declared.map(filled).chain(self.env.clone().into_iter().map(Ok)).collect()
    }

    /// Returns them as words of a shell, which fills in each `$NAME`, and refuses the command where
    /// one is not set: no key is in them.
    pub fn assignments(&self) -> Vec<String> {
        let declared = self.declared.iter().map(|(name, value)| (name, in_shell(value)));
        let own = self.env.iter().map(|(name, value)| (name, quoted(value)));
        let all: BTreeMap<_, _> = declared.chain(own).collect();
        all.into_iter().map(|(name, word)| format!("{name}={word}")).collect()
    }
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
    /// Its number
    pub id: SessionId,
    /// The agent
    pub agent: Target,
    /// What it is for
    pub kind: SessionKind,
    /// The first words of a chat
    pub title: Option<String>,
    /// The backend that its runs need
    pub backend: String,
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

/// Sessions of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sessions {
    /// The sessions, newest first
    pub sessions: Vec<Session>,
    /// Whether there are older ones
    pub more: bool,
}

/// A run of a session: what it was asked, and what it answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Exchange {
    /// The run
    pub run: RunId,
    /// What started it
    pub kind: RunKind,
    /// Where it stands
    pub state: RunState,
    /// The message that started it; `None` for a run woken by hand
    pub message: Option<MessageId>,
    /// Its sender
    pub sender: Option<Name>,
    /// Its text
    pub asked: Option<String>,
    /// The final text of the run; `None` while it goes on, and where it had none
    pub answer: Option<String>,
    /// When the run began
    pub started_at: Timestamp,
}

/// A session, and its newest runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionDetail {
    /// The session
    pub session: Session,
    /// How a person goes on with the session of an agent program
    pub by_hand: Option<ByHand>,
    /// Its runs, oldest first
    pub exchanges: Vec<Exchange>,
    /// Whether there are older runs
    pub more: bool,
}

/// List the sessions of an agent, newest first: the main one and its chats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionList {
    /// The agent
    #[serde(serialize_with = "target::whole")]
    pub target: Target,
    /// With those of single pieces of work, such as one time of a schedule
    #[serde(default)]
    pub all: bool,
    /// How many at most (50)
    pub limit: Option<u32>,
    /// Only sessions before this one
    pub before: Option<SessionId>,
}

/// Show what was asked and answered in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionShow {
    /// The session, such as `session_7`
    pub id: SessionId,
    /// How many runs at most (50)
    pub limit: Option<u32>,
    /// Only runs before this one
    pub before: Option<RunId>,
}

op!(SessionList "session_list": get "/agents/{target}/sessions", read => Sessions);
op!(SessionShow "session_show": get "/sessions/{id}", read => SessionDetail);
