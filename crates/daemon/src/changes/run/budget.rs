//! Books what runs cost, and ends work over budget.

use agent_worker_protocol::{DeliveryState, Usage};

use crate::{
    changes::run::{end, lease},
    context::Cx,
    error::Result,
    rows::{
        AgentRow, DeliveryRow, EndCause, RunRow, WorkflowRow, agent::changing::Changing, cost,
        delivery,
    },
    rules::{
        budget::{self, HELD},
        loop_guard,
    },
};

/// Lets mail go that a limit held and, as the limits now are, no longer would. What is still held
/// gets the reason that holds it now: another limit may be used up too.
pub fn release_allowed(cx: &mut Cx<'_>, scope: i64) -> Result<()> {
    let scope = WorkflowRow::by_id(cx.db, scope)?;
    for member in AgentRow::of_scope(cx.db, scope.id)? {
        for mut row in delivery::kept(cx.db, member.id)? {
            let reason = held_now(cx, &scope, &row)?;
            if row.state != DeliveryState::Held || reason == row.held_reason {
                continue;
            }
            if reason.is_none() {
                row.go(DeliveryState::Pending)?;
            }
            row.held_reason = reason;
            row.save(cx, &member)?;
        }
    }
    Ok(())
}

/// Why held mail is held, as the limits now are. `None` if a limit held it and no longer would.
fn held_now(cx: &Cx<'_>, scope: &WorkflowRow, row: &DeliveryRow) -> Result<Option<String>> {
    let reason = row.held_reason.as_deref().unwrap_or_default();
    Ok(match reason.split(':').next() {
        Some(HELD) => budget::exhausted(cx, scope),
        Some(loop_guard::HOPS) => loop_guard::too_far(cx, scope, row.hop),
        Some(loop_guard::RUNS) => loop_guard::too_many(cx, scope, row)?,
        _ => row.held_reason.clone(),
    })
}

/// Books what a run of an agent has used. A scope that is over its limit ends its live runs.
pub fn book(
    cx: &mut Cx<'_>,
    (scope, agent): (i64, i64),
    usage: Usage,
    cost: Option<f64>,
) -> Result<()> {
    book_agent(cx, agent, usage, cost)?;
    let row = WorkflowRow::by_id(cx.db, scope)?;
    let tokens = row.tokens_used.saturating_add(usage.total().unwrap_or(0));
    let cost = row.cost_used.saturating_add(cost::micros(cost.unwrap_or(0.0)));
    row.set_used(cx.db, tokens, cost)?;
    cx.touch_scope(scope);
    if end_over_budget(cx, scope)? {
        // What mail it holds hints at a budget above what is used.
        cx.touch_attention(scope);
    }
    Ok(())
}

fn book_agent(cx: &mut Cx<'_>, agent: i64, usage: Usage, cost: Option<f64>) -> Result<()> {
    let row = AgentRow::by_id(cx.db, agent)?;
    let Changing { tokens_used, cost_used: known, .. } = row.changing(cx.db)?;
    let tokens = tokens_used.saturating_add(usage.total().unwrap_or(0));
    row.set_used(cx.db, tokens, cost::plus(known, cost))?;
    cx.touch_agent(agent);
    Ok(())
}

/// Ends the live runs of a scope whose budget is used up, holds what waits for external members, and
/// tells whether it is used up. If the scope runs on, its time is booked, so that hints name more than it has used.
pub fn end_over_budget(cx: &mut Cx<'_>, scope: i64) -> Result<bool> {
    let row = WorkflowRow::by_id(cx.db, scope)?;
    let Some(reason) = budget::exhausted(cx, &row) else { return Ok(false) };
    let now = cx.now;
    for run in RunRow::live_of_scope(cx.db, scope)? {
        end::request_end(cx, &run, EndCause::OverBudget, &reason, now)?;
    }
    // What agents have is held when a run of theirs is refused.
    for member in AgentRow::of_scope(cx.db, scope)?.iter().filter(|it| budget::fetches(it)) {
        lease::hold_due(cx, member, &reason)?;
    }
    if budget::is_remedy_outdated(cx, &row) {
        row.restart_clock(cx.db, now, row.duration_until(now))?;
        cx.touch_scope(scope);
        cx.touch_attention(scope);
    }
    Ok(true)
}
