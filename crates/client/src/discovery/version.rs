//! Which of two programs is the newer, and whether its daemon can be replaced.

use std::{fmt, str::FromStr};

use agent_worker_protocol::{ErrorCode, Status, WorkflowState};

use crate::{Client, ClientError};

/// `major.minor.patch`; what follows a `-` or `+` is not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Another one breaks.
    pub major: u64,
    /// A higher one has more.
    pub minor: u64,
    /// A higher one has fewer mistakes.
    pub patch: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid version `{0}`: write `1.2.3`")]
pub struct BadVersion(String);

/// A daemon that is older than the program that found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outdated {
    pub daemon: Version,
    pub own: Version,
    /// Whether nothing would be lost by replacing it
    pub idle: bool,
}

impl Outdated {
    /// Compares a program's version with that of the daemon it found, and asks an older daemon
    /// whether it is idle. An unreadable answer counts as busy, an unknown token as gone.
    pub async fn check(
        client: &Client,
        own: &str,
        daemon: &str,
    ) -> Result<Option<Self>, ClientError> {
        let (Ok(own), Ok(daemon)) = (own.parse::<Version>(), daemon.parse::<Version>()) else {
            return Ok(None);
        };
        if own <= daemon {
            return Ok(None);
        }
        let idle = match client.call(&Status {}).await {
            Ok(report) => {
                let is_set_up = |state| state == WorkflowState::SettingUp;
                let is_quiet = !report.workflows.iter().any(|workflow| is_set_up(workflow.state));
                report.daemon.live_runs == 0 && report.runs.is_empty() && is_quiet
            }
            Err(error @ (ClientError::Unreachable { .. } | ClientError::Silent { .. })) => {
                return Err(error);
            }
            // The daemon of another command has its port by now.
            Err(error) => error.is(ErrorCode::Unauthorized),
        };
        Ok(Some(Self { daemon, own, idle }))
    }
}

impl FromStr for Version {
    type Err = BadVersion;

    fn from_str(text: &str) -> Result<Self, BadVersion> {
        let triple = text.split(['-', '+']).next().unwrap_or(text);
        let mut parts = triple.split('.').map(str::parse);
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(Ok(major)), Some(Ok(minor)), Some(Ok(patch)), None) => {
                Ok(Self { major, minor, patch })
            }
            _ => Err(BadVersion(text.to_owned())),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
#[path = "tests/version.rs"]
mod tests;
