//! The times that a run must keep, on a clock that nobody sets.

use std::time::Duration;

use tokio::time::Instant;

use crate::settings;

/// When a worker was last heard of, and until when it must be heard of again.
#[derive(Debug)]
pub struct Watch {
    limits: Limits,
    begun: Instant,
    /// Whether it has given its first sign of life
    has_started: bool,
    heard: Instant,
    /// When it last put something out, or used a tool
    worked: Instant,
}

#[derive(Debug)]
struct Limits {
    first_sign: Duration,
    idle: Duration,
    total: Duration,
    heartbeat_lost: Duration,
}

/// Which time is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overdue {
    /// No first sign of life.
    FirstSign,
    /// No heartbeat.
    Heartbeat,
    /// Nothing put out.
    Idle,
    /// The whole run takes too long.
    Total,
}

/// A timer that comes so late was not the worker's fault: this process was stopped meanwhile.
const LATE: Duration = Duration::from_secs(2);

impl Watch {
    /// A run begins; an agent's own limit takes the place of the general one.
    pub fn begin(runs: &settings::Runs, total: Option<Duration>) -> Self {
        let now = Instant::now();
        let limits = Limits {
            first_sign: runs.first_sign.duration(),
            idle: runs.idle.duration(),
            total: total.unwrap_or(runs.total.duration()),
            heartbeat_lost: runs.heartbeat_lost.duration(),
        };
        Self { limits, begun: now, has_started: false, heard: now, worked: now }
    }

    /// The worker said something.
    pub fn heard(&mut self, is_work: bool) {
        let now = Instant::now();
        self.has_started = true;
        self.heard = now;
        if is_work {
            self.worked = now;
        }
    }

    /// When the next of its times is over, and which.
    pub fn deadline(&self) -> (Instant, Overdue) {
        let sign = if self.has_started {
            (self.heard + self.limits.heartbeat_lost, Overdue::Heartbeat)
        } else {
            (self.begun + self.limits.first_sign, Overdue::FirstSign)
        };
        let idle = (self.worked + self.limits.idle, Overdue::Idle);
        let total = (self.begun + self.limits.total, Overdue::Total);
        [sign, idle, total].into_iter().min_by_key(|(at, _)| *at).unwrap_or(total)
    }

    /// Whether a time is really over. When this process was stopped itself, its workers are given
    /// the time to be heard of again.
    pub fn is_over(&mut self, deadline: Instant, overdue: Overdue) -> bool {
        let late = Instant::now().saturating_duration_since(deadline);
        if late < LATE || overdue == Overdue::Total {
            return true;
        }
        let now = Instant::now();
        self.heard = now;
        self.worked = now;
        if !self.has_started {
            self.begun = now;
        }
        false
    }

    /// What to say of a time that is over.
    pub fn reason(&self, overdue: Overdue) -> String {
        let span = |span: Duration| agent_worker_protocol::time::Interval::from(span);
        match overdue {
            Overdue::FirstSign => {
                format!("no sign of life within {}", span(self.limits.first_sign))
            }
            Overdue::Heartbeat => {
                format!("no heartbeat for {}", span(self.limits.heartbeat_lost))
            }
            Overdue::Idle => format!("no output and no tool call for {}", span(self.limits.idle)),
            Overdue::Total => format!("not done within {}", span(self.limits.total)),
        }
    }
}
