//! Which agents have deliveries that can start a run.

use std::collections::{HashMap, HashSet, hash_map::Entry};

use crate::{
    context::Cx,
    error::Result,
    rows::{
        Candidate, DeliveryRow, WorkflowRow,
        candidate::{self, Live},
        checking, delivery,
    },
};

/// An agent that could work now.
pub struct Due {
    pub agent: Candidate,
    /// Its first waking mail that is due
    pub first: Option<i64>,
}

/// The agents that could work now: with due mail, or woken, and without a live run. First those of
/// the workflows with the fewest live runs, then those whose mail is the oldest. `live` has the live
/// runs.
pub fn candidates(cx: &Cx<'_>, live: &[Live]) -> Result<Vec<Due>> {
    let longest = cx.now.after(cx.settings.longest_backoff());
    let longest_mail = cx.now.after(cx.settings.longest_retry());
    let at_work: HashSet<i64> = live.iter().map(|run| run.agent).collect();
    let mut places: HashMap<i64, i64> = HashMap::new();
    for run in live.iter().filter(|run| run.takes_place) {
        *places.entry(run.scope).or_default() += 1;
    }
    let live_in = |scope: i64| places.get(&scope).copied().unwrap_or(0);
    let mut full = HashMap::new();
    let mut found = Vec::new();
    for &agent in candidate::candidates(cx.db)?.iter() {
        // What lies after the longest time is over, because the clock was set back.
        let waits = |until| until > cx.now && until <= longest;
        if agent.not_before.is_some_and(waits) || at_work.contains(&agent.agent) {
            continue;
        }
        let is_full = match full.entry(agent.scope) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let most = WorkflowRow::by_id(cx.db, agent.scope)?.limits.max_runs;
                *new.insert(most.is_some_and(|most| live_in(agent.scope) >= i64::from(most)))
            }
        };
        if is_full {
            continue;
        }
        let first = candidate::first_due(cx.db, agent.agent, cx.now, longest_mail)?;
        if cfg!(debug_assertions) {
            let in_tables = checking(|| first_due(cx, agent.agent))?.map(|due| due.seq);
            assert_eq!(first, in_tables, "what is known of agent {}, and its mail", agent.agent);
        }
        if first.is_some() || agent.woken {
            found.push(Due { agent, first });
        }
    }
    found.sort_by_key(|one| (live_in(one.agent.scope), one.first.unwrap_or(0), one.agent.agent));
    Ok(found)
}

/// The first waking mail of an agent that is due: its time has come, or lies so far ahead that
/// the clock must have been set back since.
pub fn first_due(cx: &Cx<'_>, agent: i64) -> Result<Option<DeliveryRow>> {
    let longest = cx.now.after(cx.settings.longest_retry());
    delivery::first_due(cx.db, agent, cx.now, longest)
}
