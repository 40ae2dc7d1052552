//! Which agents have deliveries that can start a run.

use crate::{
    context::cx::Cx,
    error::OpError,
    rows::{
        agent,
        delivery::{self, DeliveryRow},
    },
};

/// An agent that could work.
pub struct Candidate {
    pub agent: i64,
    pub scope: i64,
    pub live_in_scope: i64,
    pub woken: bool,
}

pub fn candidates(cx: &Cx<'_>) -> Result<Vec<Candidate>, OpError> {
    let longest = cx.now.after(cx.settings.longest_backoff());
    let mut found = Vec::new();
    for (agent, scope, woken, limits, live) in agent::idle_with_work(cx.db, cx.now, longest)? {
        if limits.max_runs.is_none_or(|most| live < i64::from(most)) {
            found.push(Candidate { agent, scope, live_in_scope: live, woken });
        }
    }
    Ok(found)
}

/// The first waking mail of an agent that is due: its time has come, or lies so far ahead that
/// the clock must have been set back since.
pub fn first_due(cx: &Cx<'_>, agent: i64) -> Result<Option<DeliveryRow>, OpError> {
    let longest = cx.now.after(cx.settings.longest_retry());
    delivery::first_due(cx.db, agent, cx.now, longest)
}
