//! Why a machine cannot be used.

use super::{Destination, line::ssh_line};
use crate::Sanitized;

/// The most that is shown of what ssh or the other side said, in lines.
const LINES: usize = 8;

/// Reason why the daemon of another machine cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RemoteError {
    message: String,
    hint: String,
}

/// How a program ended that was to be the other end.
#[derive(Debug, Clone)]
pub(super) struct End {
    /// Exit code; `None` after a signal
    pub code: Option<i32>,
    /// What was printed in place of a hello
    pub printed: String,
    /// Standard error of ssh and of the program there
    pub complaints: String,
}

impl RemoteError {
    /// Returns a command or an action that helps.
    pub fn hint(&self) -> &str {
        &self.hint
    }

    pub(super) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }

    /// ssh could not be started.
    pub(super) fn no_ssh(error: &std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::NotFound {
            return Self::new("`ssh` not found", "install the OpenSSH client");
        }
        Self::new(format!("cannot start `ssh`: {error}"), "ssh -V")
    }

    /// The link was there and is gone.
    pub(super) fn cut(to: &Destination, complaints: &str) -> Self {
        let message = format!("the link to {to} is cut{}", said(complaints));
        Self::new(message, tried(to))
    }

    /// The other side does not say hello in time.
    pub(super) fn silent(to: &Destination) -> Self {
        Self::new(format!("cannot reach {to}: no answer"), tried(to))
    }

    /// ssh ended, or the program that it started, before it said hello.
    pub(super) fn ended(to: &Destination, end: &End) -> Self {
        let own = env!("CARGO_PKG_VERSION");
        let complaints = said(&end.complaints);
        let install = || {
            let test = ssh_line(to.as_str(), "agent-worker --version");
            format!("install agent-worker {own} there; test: {test}")
        };
        // Older programs print the words of the parser.
        let unknown = ["unrecognized subcommand", "unknown command"];
        let is_unknown = unknown.into_iter().any(|words| end.complaints.contains(words));
        match end.code {
            Some(255) | None => Self::new(format!("cannot reach {to}{complaints}"), tried(to)),
            Some(126 | 127) => {
                Self::new(format!("`agent-worker` not found on {to}{complaints}"), install())
            }
            Some(2) if is_unknown => {
                Self::new(format!("`agent-worker` on {to} is too old for --host"), install())
            }
            Some(code) => {
                let printed = said(&end.printed);
                Self::new(
                    format!("`agent-worker` on {to} ended with code {code}{complaints}{printed}"),
                    ssh_line(to.as_str(), "agent-worker daemon status"),
                )
            }
        }
    }

    /// The program there speaks in words of another version.
    pub(super) fn version(to: &Destination, there: &str) -> Self {
        let own = env!("CARGO_PKG_VERSION");
        let there = Sanitized::line(there).truncate(40).to_string();
        Self::new(
            format!("`agent-worker` on {to} has version {there}, this program {own}"),
            "install the same version on both machines",
        )
    }
}

fn tried(to: &Destination) -> String {
    format!("test: ssh {to} true")
}

/// The last lines of a text, harmless, behind a colon; empty for an empty text.
fn said(text: &str) -> String {
    let text = Sanitized::text(text.trim()).to_string();
    let lines: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    match last {
        [] => String::new(),
        [one] => format!(": {}", one.trim()),
        many => format!(":\n{}", many.join("\n")),
    }
}

#[cfg(test)]
#[path = "tests/error.rs"]
mod tests;
