//! Why a session or an answer is missing.

use super::{
    super::judge::{is_unknown_session, kind_of_words},
    speech::{AUTH_REQUIRED, NOT_FOUND},
    wire::Broken,
};
use crate::model::Kind;

/// Why a session or an answer is missing.
#[derive(Debug, Clone, PartialEq)]
pub enum Trouble {
    /// The connection, with what was asked
    Broken(&'static str, Broken),
    /// The agent wants a log-in; the ways that it knows
    LogIn(String, Vec<String>),
    /// It has no such mode or model
    Unknown(String),
    /// It speaks another version of the protocol
    Version(String),
}

impl Trouble {
    /// Returns the trouble of a request that has no result, for an agent with these ways to log in.
    /// JSON-RPC leaves the code for a log-in to all servers, so words that say otherwise count.
    pub fn of(method: &'static str, broken: Broken, ways: &[String]) -> Self {
        match broken {
            Broken::Refused { code: AUTH_REQUIRED, message }
                if matches!(kind_of_words(&message), None | Some(Kind::Key)) =>
            {
                Self::LogIn(message, ways.to_vec())
            }
            broken => Self::Broken(method, broken),
        }
    }

    /// Returns the notice that a new session begins, for an agent that has refused to open the one
    /// with this id; `None` if the session is not at fault and is opened another time.
    pub fn loses(&self, id: &str) -> Option<String> {
        let Self::Broken(_, Broken::Refused { code, message }) = self else { return None };
        let why = if *code == NOT_FOUND || is_unknown_session(message) {
            "not found"
        } else if is_of_server(message) {
            return None;
        } else {
            "was not opened"
        };
        // gemini adds what its own commands are for.
        let line = message.lines().next().unwrap_or_default().trim_end();
        Some(format!("session `{id}` {why} ({line}): a new session begins"))
    }
}

/// Whether words say that a server is away or busy, or refuses the key.
fn is_of_server(message: &str) -> bool {
    let kind = kind_of_words(message);
    matches!(kind, Some(Kind::Unavailable | Kind::RateLimited | Kind::Key | Kind::Spent))
}
