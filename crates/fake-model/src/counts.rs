//! What was asked and given.

use std::{collections::BTreeMap, time::Instant};

use agent_worker_protocol::Usage;
use serde::Serialize;

use crate::scenario::Break;

/// How many requests are told one by one.
const KEPT: usize = 100_000;

#[derive(Debug, Clone, Default, Serialize)]
pub struct Counts {
    /// How many requests there were.
    pub requests: u64,
    /// How many were answered to the end.
    pub answered: u64,
    /// How many were refused, by status.
    pub refused: BTreeMap<u16, u64>,
    /// How many answers broke off.
    pub broken: u64,
    /// What the answers have used, as it was told.
    pub usage: Usage,
    /// Each request, in order.
    pub log: Vec<Logged>,
    /// When the first came.
    #[serde(skip)]
    begun: Option<Instant>,
}

#[derive(Debug, Clone, Serialize)]
pub struct Logged {
    /// Its number, from 1.
    pub n: u64,
    /// When it came, in ms since the first.
    pub at: u64,
    pub agent: Option<String>,
    pub model: String,
    /// The longest answer that it asked for, in tokens.
    pub max_tokens: Option<u64>,
    /// What it was answered; none while that goes on.
    pub status: Option<u16>,
    /// How its answer broke off.
    pub breaks: Option<String>,
    /// What its answer has used, as it was told.
    pub usage: Usage,
}

impl Counts {
    /// A request comes, and gets its number.
    pub fn ask(&mut self, agent: Option<&str>, model: &str, max_tokens: Option<u64>) -> u64 {
        let begun = *self.begun.get_or_insert_with(Instant::now);
        self.requests += 1;
        let n = self.requests;
        if self.log.len() < KEPT {
            self.log.push(Logged {
                n,
                at: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
                agent: agent.map(str::to_owned),
                model: model.to_owned(),
                max_tokens,
                status: None,
                breaks: None,
                usage: Usage::default(),
            });
        }
        n
    }

    /// An answer has told of what it used.
    pub fn used(&mut self, n: u64, usage: Usage) {
        self.usage = self.usage.plus(usage);
        if let Some(logged) = self.logged(n) {
            logged.usage = logged.usage.plus(usage);
        }
    }

    /// A request is over.
    pub fn ended(&mut self, n: u64, status: u16, breaks: Option<Break>) {
        match (status, breaks) {
            (_, Some(_)) => self.broken += 1,
            (200, None) => self.answered += 1,
            (status, None) => *self.refused.entry(status).or_default() += 1,
        }
        if let Some(logged) = self.logged(n) {
            logged.status = Some(status);
            logged.breaks = breaks.map(|breaks| format!("{breaks:?}").to_lowercase());
        }
    }

    fn logged(&mut self, n: u64) -> Option<&mut Logged> {
        self.log.get_mut(usize::try_from(n).ok()?.checked_sub(1)?)
    }
}

/// The sums, for people.
pub fn told(counts: &Counts) -> String {
    let refused: Vec<_> =
        counts.refused.iter().map(|(status, times)| format!("{times}× {status}")).collect();
    let refused = if refused.is_empty() { "none".to_owned() } else { refused.join(", ") };
    let Counts { requests, answered, broken, usage, .. } = counts;
    let tokens = |count: Option<i64>| count.map_or("unknown".to_owned(), |count| count.to_string());
    format!(
        "requests: {requests}, answered: {answered}, refused: {refused}, broken off: {broken}\n\
         tokens: read {}, written {}, from the cache {}, into the cache {}, of thinking {}",
        tokens(usage.input),
        tokens(usage.output),
        tokens(usage.cache_read),
        tokens(usage.cache_write),
        tokens(usage.reasoning),
    )
}
