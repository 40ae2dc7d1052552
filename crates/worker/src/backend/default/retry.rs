//! How a model that did not answer is asked again: in the run itself for a while, and then the
//! daemon starts another one later. A server that names a time is asked again then; others after longer
//! each time, and not all the same, so that a team does not come back together.

use std::time::Duration;

use agent_worker_protocol::ModelConfig;
use tokio::time::Instant;

/// The longest wait that is not asked for.
const LONGEST: Duration = Duration::from_secs(30);

/// The patience with one request.
#[derive(Debug)]
pub struct Patience {
    delay: Duration,
    whole: Duration,
    /// When it failed first
    since: Option<Instant>,
    failures: u32,
}

impl Patience {
    /// A request that has not failed yet.
    pub fn new(config: &ModelConfig) -> Self {
        let (delay, whole) = (config.retry_delay.duration(), config.retry_for.duration());
        Self { delay, whole, since: None, failures: 0 }
    }

    /// It has failed: how long to wait before it is made again; none if that is not worth while in
    /// this run. `chance` is from 0 to 1.
    pub fn after(&mut self, told: Option<Duration>, now: Instant, chance: f64) -> Option<Duration> {
        let since = *self.since.get_or_insert(now);
        let doubled = self.delay.saturating_mul(1 << self.failures.min(16)).min(LONGEST);
        self.failures += 1;
        // A wait of nothing names no time to ask again.
        let wait = match told.filter(|told| !told.is_zero()) {
            Some(told) => told + self.delay.mul_f64(chance),
            None => doubled.mul_f64(0.5 + chance),
        };
        let is_worth_while = now.duration_since(since) + wait <= self.whole;
        is_worth_while.then_some(wait)
    }

    /// Since when it has failed, the number of the next try, and of how many, if all the waits
    /// after this one are of usual length.
    pub fn outlook(&self, wait: Duration, now: Instant) -> (Duration, u32, u32) {
        let away = now.duration_since(self.since.unwrap_or(now));
        let attempt = self.failures + 1;
        let (mut spent, mut of) = (away + wait, attempt);
        loop {
            spent += self.delay.saturating_mul(1 << (of - 1).min(16)).min(LONGEST);
            if spent > self.whole || self.delay.is_zero() {
                return (away, attempt, of);
            }
            of += 1;
        }
    }
}

#[cfg(test)]
#[path = "tests/retry.rs"]
mod tests;
