//! The one place where the clock is read.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use agent_worker_protocol::{Timestamp, time::millis};

use crate::fail_points::clock_error;

/// How far ahead a time may lie that is believed. What lies farther comes from a clock that was
/// set back since.
pub const AHEAD: Duration = Duration::from_hours(1);

/// Counts from its start, whatever the time of day is set to. Time for which the machine is
/// suspended is not counted.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Begins to count.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Milliseconds since its start.
    pub fn millis(self) -> i64 {
        millis(self.0.elapsed())
    }
}

/// Where the time of day comes from.
#[derive(Debug, Clone)]
pub enum Clock {
    System,
    /// Set by the holder of the other end, in milliseconds since 1970.
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    /// What time it is.
    pub fn now(&self) -> Timestamp {
        match self {
            Self::System => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                Timestamp(millis(since).saturating_add(clock_error()))
            }
            Self::Fixed(ms) => Timestamp(ms.load(Ordering::SeqCst)),
        }
    }
}
