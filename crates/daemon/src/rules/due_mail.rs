//! Which agents have deliveries that can start a run.

use std::collections::{HashMap, HashSet};

use crate::{
    context::Cx,
    error::Result,
    rows::{Candidate, DeliveryRow, WorkflowRow, candidate, checking, delivery},
};

/// The agents that could work now: with due mail, or woken. First those of the workflows with the
/// fewest live runs, then those whose mail is the oldest. `live` has the live runs of each scope.
pub fn candidates(cx: &Cx<'_>, live: &HashMap<i64, i64>) -> Result<Vec<Candidate>> {
    let longest = cx.now.after(cx.settings.longest_backoff());
    let longest_mail = cx.now.after(cx.settings.longest_retry());
    let mut found = candidate::candidates(cx.db, cx.now, longest, longest_mail)?;
    if cfg!(debug_assertions) {
        for one in &found {
            let first = checking(|| first_due(cx, one.agent))?.map(|due| due.seq);
            assert_eq!(one.first, first, "told of all agents, and of agent {}", one.agent);
        }
    }
    found.retain(|one| one.first.is_some() || one.woken);
    let live_in = |scope: i64| live.get(&scope).copied().unwrap_or(0);
    let mut full = HashSet::new();
    for scope in found.iter().map(|one| one.scope).collect::<HashSet<_>>() {
        let most = WorkflowRow::by_id(cx.db, scope)?.limits.max_runs;
        if most.is_some_and(|most| live_in(scope) >= i64::from(most)) {
            full.insert(scope);
        }
    }
    found.retain(|one| !full.contains(&one.scope));
    found.sort_by_key(|one| (live_in(one.scope), one.first.unwrap_or(0), one.agent));
    Ok(found)
}

/// The first waking mail of an agent that is due: its time has come, or lies so far ahead that
/// the clock must have been set back since.
pub fn first_due(cx: &Cx<'_>, agent: i64) -> Result<Option<DeliveryRow>> {
    let longest = cx.now.after(cx.settings.longest_retry());
    delivery::first_due(cx.db, agent, cx.now, longest)
}
