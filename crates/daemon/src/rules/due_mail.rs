//! Which agents have deliveries that can start a run.

use crate::{
    context::cx::Cx,
    error::OpError,
    rows::{
        candidate::{self, Candidate},
        delivery::{self, DeliveryRow},
    },
};

/// The agents that could work now.
pub fn candidates(cx: &Cx<'_>) -> Result<Vec<Candidate>, OpError> {
    let longest = cx.now.after(cx.settings.longest_backoff());
    let mut found = candidate::candidates(cx.db, cx.now, longest)?;
    let has_place = |one: &Candidate| {
        one.limits.max_runs.is_none_or(|most| one.live_in_scope < i64::from(most))
    };
    found.retain(has_place);
    Ok(found)
}

/// The first waking mail of an agent that is due: its time has come, or lies so far ahead that
/// the clock must have been set back since.
pub fn first_due(cx: &Cx<'_>, agent: i64) -> Result<Option<DeliveryRow>, OpError> {
    let longest = cx.now.after(cx.settings.longest_retry());
    delivery::first_due(cx.db, agent, cx.now, longest)
}
