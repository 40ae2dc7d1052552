//! How a model that did not answer is asked again: in the run itself for a while, and then the
//! daemon starts another one later. Whoever is told when waits until then; the others wait longer
//! each time, and not all the same, so that a team does not come back together.

use std::time::Duration;

use agent_worker_protocol::report::ModelConfig;
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
        let wait = match told {
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
mod tests {
    use super::*;

    fn patience() -> Patience {
        let (delay, whole) = (Duration::from_secs(1), Duration::from_mins(1));
        Patience { delay, whole, since: None, failures: 0 }
    }

    /// The waits in seconds of a request that always fails at once.
    fn waits(chance: f64) -> Vec<f64> {
        let (mut patience, mut now, mut waits) = (patience(), Instant::now(), Vec::new());
        while let Some(wait) = patience.after(None, now, chance) {
            waits.push(wait.as_secs_f64());
            now += wait;
        }
        waits
    }

    #[test]
    fn waits_grow_and_have_an_end_and_differ() {
        assert_eq!(waits(0.5), [1.0, 2.0, 4.0, 8.0, 16.0]);
        assert_eq!(waits(0.0), [0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0]);
        assert_eq!(waits(1.0), [1.5, 3.0, 6.0, 12.0, 24.0]);
    }

    #[test]
    fn the_outlook_counts_the_tries_that_fit() {
        let (mut patience, mut now, mut told) = (patience(), Instant::now(), Vec::new());
        while let Some(wait) = patience.after(None, now, 0.5) {
            let (away, attempt, of) = patience.outlook(wait, now);
            told.push((away.as_secs(), attempt, of));
            now += wait;
        }
        assert_eq!(told, [(0, 2, 6), (1, 3, 6), (3, 4, 6), (7, 5, 6), (15, 6, 6)]);
    }

    #[test]
    fn who_is_told_when_waits_until_then_or_leaves_it_to_the_daemon() {
        let (mut patience, now) = (patience(), Instant::now());
        let told = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(patience.after(told(7), now, 0.0), told(7));
        assert_eq!(patience.after(told(7), now, 1.0), told(8));
        assert_eq!(patience.after(told(61), now, 0.0), None);
        assert_eq!(patience.after(told(9), now + Duration::from_secs(52), 0.0), None);
    }

    #[test]
    fn a_server_that_never_answers_is_not_waited_for_long() {
        let (mut patience, now) = (patience(), Instant::now());
        assert!(patience.after(None, now, 0.5).is_some());
        assert_eq!(patience.after(None, now + Duration::from_secs(91), 0.5), None);
    }
}
