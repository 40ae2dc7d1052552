//! What a run uses: its whole answers, and what is told so far of the one in progress.
//!
//! Some servers count anew with each word. What an answer uses first is noted at once, and while it
//! grows every [`EVERY`]: each note is an event of the run, of its agent and of its workflow.

use std::time::Duration;

use agent_worker_protocol::{Price, Usage, run::MOST_DOLLARS};
use tokio::time::Instant;

use crate::{changes::run::progress::Progress, rows::cost};

/// Tokens, and dollars as far as they are known.
type Used = (Usage, Option<f64>);

/// How long what an answer grows by may wait.
const EVERY: Duration = Duration::from_secs(5);

/// Adds up what a run uses.
#[derive(Debug, Default)]
pub struct Spending {
    /// What the model costs, where its server does not say what an answer has cost
    price: Option<Price>,
    /// What the answer in progress has used so far
    told: Used,
    /// How much of that is noted
    noted: Used,
    /// When that was noted
    noted_at: Option<Instant>,
}

impl Spending {
    /// Begins with nothing.
    pub fn at(price: Option<Price>) -> Self {
        Self { price, ..Self::default() }
    }

    /// The answer in progress has used this so far. What is impossible is left out.
    pub fn using(&mut self, usage: Usage, cost: Option<f64>) {
        self.told = self.believed(usage, cost).unwrap_or(self.told);
    }

    /// Notes what an answer has used that is whole. The error says that this is impossible.
    pub fn used(
        &mut self,
        usage: Usage,
        cost: Option<f64>,
        progress: &mut Progress,
    ) -> Result<(), String> {
        self.told = self.believed(usage, cost).ok_or("it reported an impossible usage")?;
        self.note(progress);
        *self = Self::at(self.price);
        Ok(())
    }

    /// Whether something is not noted yet.
    fn is_ahead(&self) -> bool {
        self.told != self.noted
    }

    /// Whether something is to be noted now, although the answer still grows.
    pub fn is_due(&self, now: Instant) -> bool {
        self.is_ahead() && self.noted_at.is_none_or(|at| now.duration_since(at) >= EVERY)
    }

    /// Notes what is not noted yet.
    pub fn note(&mut self, progress: &mut Progress) {
        if !self.is_ahead() {
            return;
        }
        self.noted_at = Some(Instant::now());
        let (usage, cost) = self.told;
        let (noted, paid) = std::mem::replace(&mut self.noted, self.told);
        let more = usage.with(noted, |now, before| {
            now.or(before).map(|_| now.unwrap_or(0) - before.unwrap_or(0))
        });
        progress.usage = progress.usage.plus(more);
        if cost.or(paid).is_some() {
            // Rounded as they are stored, so that the parts of a cost make the whole.
            let micros = |cost: Option<f64>| cost::micros(cost.unwrap_or(0.0));
            let more = cost::dollars(micros(cost) - micros(paid));
            *progress.cost.get_or_insert(0.0) += more;
        }
    }

    fn believed(&self, usage: Usage, cost: Option<f64>) -> Option<Used> {
        let is_possible = |cost: &f64| (0.0..=MOST_DOLLARS).contains(cost);
        let is_believed = usage.is_plausible() && cost.as_ref().is_none_or(is_possible);
        // The highest plausible counts cost more than that, and their worker did nothing wrong.
        is_believed.then(|| (usage, cost.or_else(|| self.price?.of(usage).filter(is_possible))))
    }
}

#[cfg(test)]
#[path = "tests/spending.rs"]
mod tests;
