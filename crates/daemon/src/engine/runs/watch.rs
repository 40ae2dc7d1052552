//! The timeouts of a run, on a monotonic clock.

use std::time::Duration;

use agent_worker_protocol::Interval;
use tokio::time::Instant;

use crate::{
    engine::runs::outcome::LONGEST_ERROR, rows::EndCause, rules::ending::Failure, settings,
};

/// When a worker was last heard of, and until when it must be heard of again.
#[derive(Debug)]
pub struct Watch {
    limits: settings::Runs,
    begun: Instant,
    /// Whether it has given its first sign of life
    has_started: bool,
    heard: Instant,
    /// When it last put something out, or used a tool
    worked: Instant,
    /// When it was last looked at the clock
    looked: Instant,
    /// Whether the run waits for the person
    rests: bool,
}

/// Which time is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overdue {
    /// No first sign of life.
    FirstSign,
    Heartbeat,
    /// Nothing put out.
    Idle,
    /// The whole run takes too long.
    Total,
}

/// How often it is looked at the clock, so that it is noticed when this process was stopped.
const LOOK: Duration = Duration::from_secs(1);

/// Nothing but a stop makes a look so late.
const LATE: Duration = Duration::from_secs(1);

impl Watch {
    /// A run begins; an agent's own limit takes the place of the general one.
    pub fn begin(runs: &settings::Runs, total: Option<Interval>, now: Instant) -> Self {
        let limits = settings::Runs { total: total.unwrap_or(runs.total), ..runs.clone() };
        let (begun, heard, worked, looked) = (now, now, now, now);
        Self { limits, begun, has_started: false, heard, worked, looked, rests: false }
    }

    /// The run waits for the person, or goes on: meanwhile only its heartbeat is looked for.
    pub fn rest(&mut self, rests: bool, now: Instant) {
        self.pass(now);
        self.rests = rests;
    }

    /// The worker said something.
    pub fn heard(&mut self, is_work: bool, now: Instant) {
        self.pass(now);
        self.has_started = true;
        self.heard = now;
        if is_work {
            self.worked = now;
        }
    }

    /// When to look again.
    pub fn next_look(&self) -> Instant {
        self.deadline().0.min(self.looked + LOOK)
    }

    /// Which of its times is over, if one is.
    pub fn look(&mut self, now: Instant) -> Option<Overdue> {
        self.pass(now);
        let (deadline, overdue) = self.deadline();
        (now >= deadline).then_some(overdue)
    }

    /// Time passes. While this process was stopped it received nothing, and perhaps the worker was
    /// stopped with it: that time does not count.
    fn pass(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.looked);
        if passed > LOOK + LATE {
            self.heard += passed;
        }
        if passed > LOOK + LATE || self.rests {
            self.begun += passed;
            self.worked += passed;
        }
        self.looked = now;
    }

    /// When the next of its times is over, and which.
    fn deadline(&self) -> (Instant, Overdue) {
        let sign = if self.has_started {
            (self.heard + self.limits.heartbeat_lost.duration(), Overdue::Heartbeat)
        } else {
            (self.begun + self.limits.first_sign.duration(), Overdue::FirstSign)
        };
        let idle = (self.worked + self.limits.idle.duration(), Overdue::Idle);
        let total = (self.begun + self.limits.total.duration(), Overdue::Total);
        [sign, idle, total].into_iter().min_by_key(|(at, _)| *at).unwrap_or(total)
    }

    /// What a time that is over makes of the run. `away` is why its model does not answer, if it
    /// waits for that: then it has not hung, and uses no attempt.
    pub fn failure(&self, overdue: Overdue, folder: Option<&str>, away: Option<&str>) -> Failure {
        let reason = self.reason(overdue, folder);
        match (overdue, away) {
            (Overdue::Idle, Some(error)) => {
                let error = &error[..error.floor_char_boundary(LONGEST_ERROR)];
                Failure::new(EndCause::Unavailable, format!("{reason}: {error}"))
            }
            (Overdue::Heartbeat, _) => Failure::new(EndCause::Transient, reason),
            (Overdue::FirstSign | Overdue::Idle | Overdue::Total, _) => {
                Failure::new(EndCause::TimedOut, reason)
            }
        }
    }

    /// What to say of a time that is over. A worker gives its first sign when it has entered its
    /// folder, which may be on a disk that hangs.
    fn reason(&self, overdue: Overdue, folder: Option<&str>) -> String {
        let settings::Runs { first_sign, idle, total, heartbeat_lost, .. } = &self.limits;
        match overdue {
            Overdue::FirstSign => {
                let seen =
                    folder.map(|folder| format!(": it has not entered its folder `{folder}`"));
                let seen = seen.unwrap_or_default();
                format!("no sign of life within {first_sign}{seen}")
            }
            Overdue::Heartbeat => format!("no heartbeat for {heartbeat_lost}"),
            Overdue::Idle => format!("no output and no tool call for {idle}"),
            Overdue::Total => format!("not done within {total}"),
        }
    }
}

#[cfg(test)]
#[path = "tests/watch.rs"]
mod tests;
