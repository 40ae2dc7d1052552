//! Moves workflows between states.

use agent_worker_protocol::{Wanted, WorkflowState};

use crate::{
    changes::{agent::state, run::end, schedule::fire},
    context::Cx,
    error::Result,
    rows::{AgentRow, WorkflowRow},
};

/// Brings a scope into a state, with the reason people see. Time in `running` is booked.
pub fn enter(cx: &mut Cx<'_>, id: i64, state: WorkflowState, reason: Option<&str>) -> Result<()> {
    let before = WorkflowRow::by_id(cx.db, id)?;
    let is_end = !state.is_live() && state != WorkflowState::Created;
    let running_since = match (state, before.state) {
        (WorkflowState::Running, WorkflowState::Running) => before.running_since,
        (WorkflowState::Running, _) => Some(cx.now),
        _ => None,
    };
    let booked = if running_since.is_some() && before.running_since == running_since {
        before.duration_used
    } else {
        before.duration_until(cx.now)
    };
    let ended_at = match before.ended_at {
        Some(at) if state == before.state => Some(at),
        _ => is_end.then_some(cx.now),
    };
    let outcome = (is_end.then_some(state), reason);
    before.enter(cx.db, state, outcome, (running_since, booked), ended_at)?;
    for member in AgentRow::of_scope(cx.db, id)? {
        // Those that show another state when their scope begins or ends.
        let has_mail = member.changing(cx.db)?.unread > 0;
        if has_mail || member.woken || member.not_before.is_some() {
            cx.touch_agent(member.id);
        }
    }
    cx.touch_scope(id);
    cx.touch_attention(id);
    match (before.state, state) {
        (WorkflowState::Running, WorkflowState::Running) => Ok(()),
        (WorkflowState::Running, _) => fire::scope_stops(cx, id),
        (_, WorkflowState::Running) => fire::scope_goes_on(cx, id),
        _ => Ok(()),
    }
}

/// Lets a scope go on where it was. Its paused agents work again, its stopped ones do not. Runs go
/// on that its stop has not ended yet. Tells whether an agent was paused.
pub fn go_on(cx: &mut Cx<'_>, row: &WorkflowRow) -> Result<bool> {
    let mut has_activated = false;
    for member in AgentRow::of_scope(cx.db, row.id)? {
        if member.wanted == Wanted::Paused {
            state::activate(cx, &member)?;
            has_activated = true;
        }
        if member.wanted != Wanted::Stopped {
            end::take_back_stop(cx, member.id)?;
        }
    }
    if row.state != WorkflowState::Running {
        enter(cx, row.id, WorkflowState::Running, None)?;
    }
    cx.judge(row.id);
    Ok(has_activated)
}
