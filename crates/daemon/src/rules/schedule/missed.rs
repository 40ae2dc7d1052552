//! What becomes of due times that have passed: a function of the times, of the last run, and of
//! what the schedule says of both.

use std::time::Duration;

use agent_worker_protocol::{Missed, Overlap, Timestamp};

use crate::rules::schedule::due::Passed;

/// Why a due time was passed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skip {
    /// The last run went on still
    Overlap,
    /// Nothing ran here then, or another time stands for it
    Missed,
}

/// What is done when times pass.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    /// While the last run goes on
    pub overlap: Overlap,
    /// While nothing ran here
    pub missed: Missed,
    /// A time that is seen later than this was missed
    pub grace: Duration,
}

/// The last time that it fired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Last {
    pub fired_at: Timestamp,
    /// When what it fired was done with; none while it goes on
    pub ended_at: Option<Timestamp>,
}

/// What becomes of the due times, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Those that are passed by
    pub skips: Vec<(Timestamp, Skip)>,
    /// The one after them that fires
    pub fire: Option<Timestamp>,
    /// The one after these that is not judged yet, if it has passed already
    pub waits: Option<Timestamp>,
}

/// Judges due times that have passed.
pub fn judge(passed: &Passed, last: Option<Last>, policy: Policy, now: Timestamp) -> Verdict {
    let times: Vec<_> = passed.first.into_iter().chain(passed.times.iter().copied()).collect();
    match last {
        Some(Last { fired_at, ended_at: None }) => while_busy(&times, fired_at, policy),
        Some(Last { fired_at, ended_at: Some(ended_at) }) => {
            // Those that came while it went on.
            let during = times.iter().take_while(|at| **at > fired_at && **at <= ended_at).count();
            when_free(&times, during, policy, now)
        }
        None => when_free(&times, 0, policy, now),
    }
}

/// What it fired last is not done with.
fn while_busy(times: &[Timestamp], fired_at: Timestamp, policy: Policy) -> Verdict {
    let is_behind = times.first().is_some_and(|first| *first <= fired_at);
    match (times.split_last(), policy.overlap) {
        (None, _) => Verdict::default(),
        // Times that were missed are made up for first, in their turn.
        (Some(_), _) if is_behind => {
            Verdict { waits: times.first().copied(), ..Verdict::default() }
        }
        (Some((newest, others)), Overlap::Queue) => {
            Verdict { skips: skipped(others, Skip::Overlap), fire: None, waits: Some(*newest) }
        }
        (Some(_), Overlap::Skip) => {
            Verdict { skips: skipped(times, Skip::Overlap), ..Verdict::default() }
        }
    }
}

/// Nothing of it goes on. The first `during` of the times came while something did.
fn when_free(times: &[Timestamp], during: usize, policy: Policy, now: Timestamp) -> Verdict {
    let (overlapped, free) = times.split_at(during);
    let queued = overlapped.last().filter(|_| policy.overlap == Overlap::Queue);
    let mut skips = skipped(overlapped, Skip::Overlap);
    if policy.missed == Missed::All {
        if let Some(queued) = queued {
            skips.pop();
            return Verdict { skips, fire: Some(*queued), waits: free.first().copied() };
        }
        return Verdict { skips, fire: free.first().copied(), waits: free.get(1).copied() };
    }
    let Some((newest, missed)) = free.split_last() else {
        skips.truncate(skips.len() - usize::from(queued.is_some()));
        return Verdict { skips, fire: queued.copied(), waits: None };
    };
    skips.extend(skipped(missed, Skip::Missed));
    // A queued time runs in any case; the newest stands for the others.
    let is_in_time = now.since(*newest) <= policy.grace;
    if policy.missed == Missed::Once || is_in_time || queued.is_some() {
        return Verdict { skips, fire: Some(*newest), waits: None };
    }
    skips.push((*newest, Skip::Missed));
    Verdict { skips, fire: None, waits: None }
}

fn skipped(times: &[Timestamp], why: Skip) -> Vec<(Timestamp, Skip)> {
    times.iter().map(|at| (*at, why)).collect()
}
