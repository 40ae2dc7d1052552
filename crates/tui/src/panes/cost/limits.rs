//! How far a workflow is from its limits.

use std::time::Duration;

use agent_worker_client::text::numbers;
use agent_worker_protocol::Workflow;

use super::sum::Sum;
use crate::model::Model;

/// A limit, and what of it is used.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    pub name: &'static str,
    used: f64,
    most: f64,
    /// How much is used in an hour, as it is now
    rate: f64,
}

impl Limit {
    /// Which part of it is left, from 0 to 1.
    pub fn left(&self) -> f64 {
        if self.most > 0.0 { (1.0 - self.used / self.most).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The same in whole percent, cut off.
    pub fn percent(&self) -> f64 {
        // A float that should be whole may be a little less.
        (self.left() * 100.0 + 1e-6).floor()
    }

    /// `$1.58 of $5.00, 68 % left, reached in 2h 51m at this rate`.
    pub fn words(&self) -> String {
        let (used, most) = (self.shown(self.used), self.shown(self.most));
        let percent = self.percent();
        let left = (self.most - self.used).max(0.0);
        let reached = match self.rate {
            _ if left <= 0.0 => ", reached".to_owned(),
            rate if rate > 0.0 => {
                let hours = Duration::try_from_secs_f64(left / rate * 3600.0).unwrap_or_default();
                format!(", reached in {} at this rate", numbers::elapsed(hours))
            }
            _ => String::new(),
        };
        format!("{used} of {most}, {percent} % left{reached}")
    }

    #[expect(clippy::cast_possible_truncation, reason = "tokens fit, and spans are whole seconds")]
    fn shown(&self, number: f64) -> String {
        match self.name {
            "cost" => numbers::cost(Some(number)),
            "tokens" => numbers::short(number as i64),
            _ => numbers::elapsed(Duration::try_from_secs_f64(number * 3600.0).unwrap_or_default()),
        }
    }
}

/// The limits of a workflow on what it uses in all.
pub fn limits(model: &Model, workflow: &Workflow, sum: &Sum) -> Vec<Limit> {
    let (set, used) = (&workflow.limits, &workflow.used);
    let mut limits = Vec::new();
    if let Some(most) = set.cost {
        let rate = sum.rate.unwrap_or(0.0);
        limits.push(Limit { name: "cost", used: used.cost, most, rate });
    }
    #[expect(clippy::cast_precision_loss, reason = "tokens are far below where floats stop")]
    if let Some(most) = set.tokens {
        let (used, most) = (used.tokens as f64, most as f64);
        limits.push(Limit { name: "tokens", used, most, rate: sum.speed as f64 });
    }
    if let Some(most) = set.duration {
        let running = used.running_since.map(|since| model.shown_at().since(since));
        let before = Duration::from_millis(u64::try_from(used.duration_ms).unwrap_or(0));
        let hours = |span: Duration| span.as_secs_f64() / 3600.0;
        let used = hours(before + running.unwrap_or_default());
        let rate = if running.is_some() { 1.0 } else { 0.0 };
        limits.push(Limit { name: "time", used, most: hours(most.duration()), rate });
    }
    limits
}

/// The limit that is nearest.
pub fn nearest(model: &Model, workflow: &Workflow, sum: &Sum) -> Option<Limit> {
    let all = limits(model, workflow, sum).into_iter();
    all.min_by(|one, other| one.left().total_cmp(&other.left()))
}
