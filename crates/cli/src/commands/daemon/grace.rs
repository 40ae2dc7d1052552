//! How long live runs may take to end.

use std::time::Duration;

use agent_worker_protocol::{DaemonFile, Interval, RunGrace};

use crate::{commands::config, session::Session};

/// After which the daemon gives up runs that have not ended when both their times are over.
const GIVEN_UP: Duration = Duration::from_secs(5);

/// How long the daemon may take to end after its runs.
const CLOSING: Duration = Duration::from_secs(5);

/// The times of live runs to end.
#[derive(Debug, Clone, Copy)]
pub struct Grace {
    /// Until they are told to end
    pub stop: Interval,
    /// From then until they are killed
    kill: Interval,
}

impl Grace {
    /// Returns the times of the running daemon, which `config.toml` may no longer have.
    pub fn of(session: &Session, daemon: Option<&DaemonFile>) -> Self {
        let running = daemon.and_then(|file| file.grace);
        Self::read(running, |key| config::value(session, key))
    }

    /// A daemon of an earlier version does not tell its times: they are read from `config.toml`.
    /// Settings that cannot be read count as their defaults.
    fn read(running: Option<RunGrace>, value: impl Fn(&str) -> Option<String>) -> Self {
        if let Some(RunGrace { stop, kill }) = running {
            return Self { stop, kill };
        }
        let span =
            |key: &str| -> Option<Interval> { value(key)?.trim_matches(['"', '\'']).parse().ok() };
        let usual = Interval::seconds(10);
        Self {
            stop: span("runs.stop_grace").unwrap_or(usual),
            kill: span("runs.kill_grace").unwrap_or(usual),
        }
    }

    /// How long runs may take to end.
    pub fn of_runs(self) -> Duration {
        self.stop.duration() + self.kill.duration() + GIVEN_UP
    }

    /// How long a daemon may take to end.
    pub fn of_daemon(self) -> Duration {
        self.of_runs() + CLOSING
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: Option<&str>) -> Option<String> {
        value.map(ToOwned::to_owned)
    }

    fn of(running: Option<RunGrace>, stop: Option<&str>, kill: Option<&str>) -> [u64; 3] {
        let grace = Grace::read(running, |key| match key {
            "runs.stop_grace" => text(stop),
            "runs.kill_grace" => text(kill),
            _ => None,
        });
        let spans = [grace.stop.duration(), grace.of_runs(), grace.of_daemon()];
        spans.map(|span| span.as_secs())
    }

    #[test]
    fn runs_and_the_daemon_may_take_as_long_as_the_settings_say() {
        assert_eq!(of(None, None, None), [10, 25, 30]);
        assert_eq!(of(None, Some(r#""10s""#), Some(r#""10s""#)), [10, 25, 30]);
        assert_eq!(of(None, Some(r#""5m""#), Some("'30s'")), [300, 335, 340]);
        assert_eq!(of(None, Some(r#""0s""#), Some("nothing")), [0, 15, 20]);
    }

    #[test]
    fn the_times_of_the_running_daemon_come_before_those_of_the_settings() {
        let (stop, kill) = (Interval::seconds(60), Interval::seconds(20));
        let running = Some(RunGrace { stop, kill });
        assert_eq!(of(running, Some(r#""1s""#), Some(r#""1s""#)), [60, 85, 90]);
    }
}
