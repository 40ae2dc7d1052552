//! How a command ends: its exit code, and what it says when it could not do what was asked.

use std::process::ExitCode;

use agent_worker_client::{ClientError, FindError, Sanitized, discovery::TOKEN_VARIABLE};
use agent_worker_protocol::{ErrorCode, error::LEAVE_AS_OUT};

use crate::{
    again,
    output::{Closed, Output, reader_gone},
};

/// Exit status of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    Done = 0,
    /// It failed, or was refused.
    Failed = 1,
    /// The command line is invalid.
    Usage = 2,
    /// No daemon is running.
    NoDaemon = 3,
    /// The time that was given is over.
    TimedOut = 4,
    /// The workflow waits for the user.
    Stalled = 5,
    /// The user interrupted it.
    Interrupted = 130,
    /// Its reader has gone before it was done: as if it had ended of SIGPIPE.
    Unread = 141,
    /// Another program ended it with SIGTERM.
    Terminated = 143,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Reason why the command line refuses a command.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    message: String,
    hint: Option<String>,
    exit: Exit,
    #[source]
    cause: Option<ClientError>,
    /// Whether it refuses what an agent may not do from its shell
    is_of_run: bool,
}

impl Refusal {
    /// Something that cannot be done.
    pub fn new(message: impl Into<String>) -> Self {
        let (message, hint, cause) = (message.into(), None, None);
        Self { message, hint, exit: Exit::Failed, cause, is_of_run: false }
    }

    /// Refusal of an invalid command line.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, ..Self::new(message) }
    }

    /// An error because no daemon is running.
    pub fn no_daemon() -> Self {
        Self::lost_daemon("no daemon is running")
    }

    /// Something that a daemon was needed for that has gone.
    pub fn lost_daemon(message: impl Into<String>) -> Self {
        Self { exit: Exit::NoDaemon, ..Self::new(message) }
    }

    /// Refusal of what an agent may not do from its shell.
    pub fn in_run(what: &str) -> Self {
        let message = format!(
            "{what} is only for the user: this is the shell of an agent ({TOKEN_VARIABLE} is set)"
        );
        Self { is_of_run: true, ..Self::new(message) }
    }

    /// Whether it refuses what an agent may not do from its shell.
    pub fn is_of_run(&self) -> bool {
        self.is_of_run
    }

    /// The same, with what led to it.
    #[must_use]
    pub fn because(self, cause: Option<ClientError>) -> Self {
        Self { cause, ..self }
    }

    /// The same, with something to do about it.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// Does what a command follows until its reader has gone.
pub async fn until_unread(
    work: impl Future<Output = anyhow::Result<Exit>>,
) -> anyhow::Result<Exit> {
    tokio::select! {
        done = work => done,
        () = reader_gone() => Ok(Exit::Done),
    }
}

/// Says why a command did not do what was asked, and tells the shell. A reader that has gone has
/// read what it wanted: that is not a failure.
pub fn report(output: &Output, error: &anyhow::Error) -> Exit {
    if error.is::<Closed>() {
        return Exit::Done;
    }
    output.note(&described(error));
    exit_of(error)
}

fn described(error: &anyhow::Error) -> String {
    let mut lines = vec![format!("error: {}", Sanitized::text(&error.to_string()))];
    if is_of_stale_token(error) {
        lines.push(format!(
            "caused by: {TOKEN_VARIABLE} in the environment is not the token of a current run"
        ));
    }
    for cause in error.chain().skip(1) {
        lines.push(format!("caused by: {}", Sanitized::text(&cause.to_string())));
    }
    if let Some(hint) = hint_of(error) {
        lines.push(format!("hint: {}", Sanitized::text(&hint)));
    }
    lines.join("\n")
}

/// An error with its causes as one line; its hint is a second line behind `hint: `.
pub fn with_hint(error: &anyhow::Error) -> String {
    let hint = hint_of(error).map(|hint| format!("\nhint: {hint}"));
    format!("{error:#}{}", hint.unwrap_or_default())
}

/// Whether a token that an agent's shell has left behind is what the daemon refuses.
pub fn is_of_stale_token(error: &anyhow::Error) -> bool {
    let is_refused =
        |error: &ClientError| error.is(ErrorCode::Unauthorized) || error.is(ErrorCode::RunEnded);
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<ClientError>());
    std::env::var_os(TOKEN_VARIABLE).is_some() && causes.any(is_refused)
}

fn hint_of(error: &anyhow::Error) -> Option<String> {
    if is_of_stale_token(error) {
        return Some(format!("unset {TOKEN_VARIABLE}"));
    }
    error.chain().find_map(|cause| {
        if let Some(refusal) = cause.downcast_ref::<Refusal>() {
            return refusal.hint.clone();
        }
        if let Some(error) = cause.downcast_ref::<ClientError>() {
            return error.hint().map(|hint| match hint {
                LEAVE_AS_OUT => again::without("--as", true),
                hint => hint.to_owned(),
            });
        }
        cause.downcast_ref::<FindError>()?.hint()
    })
}

fn exit_of(error: &anyhow::Error) -> Exit {
    let of_cause = |cause: &(dyn std::error::Error + 'static)| {
        if let Some(refusal) = cause.downcast_ref::<Refusal>() {
            return Some(refusal.exit);
        }
        if cause.is::<FindError>() {
            return Some(Exit::NoDaemon);
        }
        let unreachable = |error: &ClientError| {
            matches!(error, ClientError::Unreachable { .. } | ClientError::Silent { .. })
        };
        cause.downcast_ref::<ClientError>().filter(|e| unreachable(e)).map(|_| Exit::NoDaemon)
    };
    error.chain().find_map(of_cause).unwrap_or(Exit::Failed)
}

#[cfg(test)]
#[path = "tests/exit.rs"]
mod tests;
