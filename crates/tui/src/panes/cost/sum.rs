//! A sum of runs.

use std::time::Duration;

use agent_worker_protocol::{Run, RunState, Timestamp};

/// Over how long a rate is taken, ms.
const HOUR_MS: i64 = 60 * 60 * 1000;

/// How many hours the bars show.
pub const HOURS: usize = 24;

/// What runs are summed up by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum By {
    #[default]
    Agent,
    Model,
    Workflow,
    Day,
}

impl By {
    /// All of them, in the order of the menu.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Agent, "agent"),
        (Self::Model, "model"),
        (Self::Workflow, "workflow"),
        (Self::Day, "day"),
    ];

    /// What a line stands for.
    pub fn words(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// A sum.
#[derive(Debug, Clone, Default)]
pub struct Sum {
    pub runs: i64,
    pub failed: i64,
    pub tokens: i64,
    /// Dollars, as far as they are known
    pub cost: Option<f64>,
    /// Dollars of the last hour
    pub rate: Option<f64>,
    /// Tokens of the last hour
    pub speed: i64,
    /// Tokens, and runs that began, in each of the last hours, the newest last
    pub hours: [(i64, i64); HOURS],
}

impl Sum {
    /// Adds a run.
    pub fn add(&mut self, run: &Run, now: Timestamp) {
        let end = run.ended_at.unwrap_or(now);
        let tokens = run.usage.total().unwrap_or(0);
        self.runs += 1;
        self.failed += i64::from(matches!(run.state, RunState::Failed | RunState::TimedOut));
        self.tokens = self.tokens.saturating_add(tokens);
        if let Some(cost) = run.cost {
            *self.cost.get_or_insert(0.0) += cost;
        }
        let span = end.since(run.started_at).max(Duration::from_millis(1));
        for (age, hour) in self.hours.iter_mut().rev().enumerate() {
            let from = Timestamp(now.0 - HOUR_MS * (i64::try_from(age).unwrap_or(0) + 1));
            let until = Timestamp(from.0 + HOUR_MS);
            let within = end.min(until).since(run.started_at.max(from));
            let share = within.as_secs_f64() / span.as_secs_f64();
            hour.0 += part(tokens, share);
            hour.1 += i64::from(run.started_at >= from && run.started_at < until);
            if age == 0 {
                self.speed += part(tokens, share);
                if let Some(cost) = run.cost.filter(|_| share > 0.0) {
                    *self.rate.get_or_insert(0.0) += cost * share;
                }
            }
        }
    }
}

/// A part of a count.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "tokens of runs")]
fn part(count: i64, share: f64) -> i64 {
    (count as f64 * share) as i64
}
