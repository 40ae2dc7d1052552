//! When a run last said anything: what is to be stored of it, and when.
//!
//! Words come many times a second. While they come, the stored time is at most [`LATE`] behind;
//! once they cease it is exact before anybody calls the run silent.

use std::time::Duration;

use agent_worker_protocol::{Timestamp, run::SILENT};
use tokio::time::Instant;

use crate::changes::run::progress::Spoke;

/// How far the stored time may be behind while words come. Less than [`SILENT`] by a margin.
const LATE: Duration = Duration::from_secs(5);

/// When the worker last said anything.
#[derive(Debug)]
pub struct Speech {
    /// After how long the run needs the user
    limit: Duration,
    at: Timestamp,
    heard: Instant,
    stored: Spoke,
    /// Whether it waits for the user: then its silence is expected
    rests: bool,
}

impl Speech {
    pub fn begin(limit: Duration, at: Timestamp, now: Instant) -> Self {
        Self { limit, at, heard: now, stored: Spoke { at, is_silent: false }, rests: false }
    }

    /// The worker wrote something or called a tool.
    pub fn heard(&mut self, at: Timestamp, now: Instant) {
        (self.at, self.heard) = (at, now);
    }

    /// The run waits for the user, or goes on: then its silence begins anew.
    pub fn rest(&mut self, rests: bool, at: Timestamp, now: Instant) {
        self.rests = rests;
        self.heard(at, now);
    }

    /// When something is to be stored, even if the worker stays silent.
    pub fn due(&self) -> Option<Instant> {
        let exact = (self.stored.at != self.at).then(|| self.heard + SILENT);
        let turn = if self.stored.is_silent {
            (self.stored.at != self.at).then_some(self.heard)
        } else {
            (!self.rests).then(|| self.heard + self.limit)
        };
        [exact, turn].into_iter().flatten().min()
    }

    /// What is to be stored now; `with_others` if something else of the run is stored too.
    pub fn take(&mut self, with_others: bool, now: Instant) -> Option<Spoke> {
        let silence = now.saturating_duration_since(self.heard);
        let spoke = Spoke { at: self.at, is_silent: !self.rests && silence >= self.limit };
        let behind = self.at.since(self.stored.at);
        let is_wanted = spoke.is_silent != self.stored.is_silent
            || (spoke != self.stored && (with_others || behind >= LATE || silence >= SILENT));
        is_wanted.then(|| {
            self.stored = spoke;
            spoke
        })
    }
}

#[cfg(test)]
#[path = "tests/speech.rs"]
mod tests;
