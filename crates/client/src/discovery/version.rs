//! Which of two programs is the newer, and whether its daemon can be replaced.

use std::{fmt, str::FromStr};

use agent_worker_protocol::{daemon::Status, error::ErrorCode, workflow::WorkflowState};

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
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tests::fake::{Fake, Reply, within};

    #[test]
    fn versions_are_compared_by_number() {
        let version = |text: &str| text.parse::<Version>().unwrap();
        assert!(version("0.10.0") > version("0.9.12"));
        assert!(version("1.0.0") > version("0.99.99"));
        assert_eq!(version("1.2.3-rc.1+x"), version("1.2.3"));
        assert_eq!(version("1.2.3-rc.1").to_string(), "1.2.3");
        for bad in ["", "1", "1.2", "1.2.3.4", "1.2.x", "v1.2.3", "-1.2.3"] {
            assert!(bad.parse::<Version>().is_err(), "{bad}");
        }
    }

    fn report(live_runs: i64) -> Reply {
        let daemon = json!({
            "pid": 1, "version": "0.1.0", "uptime": 1, "live_runs": live_runs, "max_runs": 4,
            "messages": 0, "database_bytes": 0
        });
        let none: [i64; 0] = [];
        Reply::Json(
            200,
            json!({
                "daemon": daemon, "workflows": none, "agents": none, "runs": none, "attention": none,
                "unread": 0
            }),
        )
    }

    #[tokio::test]
    async fn an_older_daemon_is_asked_whether_it_is_idle() {
        let unknown = json!({ "error": { "code": "unauthorized", "message": "invalid token" } });
        let replies =
            vec![report(0), report(1), Reply::Json(200, json!({})), Reply::Json(401, unknown)];
        let fake = Fake::start(replies).await;
        let client = fake.client();
        for (own, daemon, idle) in [
            ("0.1.0", "0.1.0", None),
            ("0.1.0", "0.2.0", None),
            ("0.2.0", "odd", None),
            ("0.2.0", "0.1.0", Some(true)),
            ("0.2.0", "0.1.0", Some(false)),
            ("0.2.0", "0.1.0", Some(false)),
            ("0.2.0", "0.1.0", Some(true)),
        ] {
            let outdated = within(Outdated::check(&client, own, daemon)).await.unwrap();
            assert_eq!(outdated.map(|outdated| outdated.idle), idle);
        }
        assert_eq!(fake.seen().len(), 4);
    }
}
