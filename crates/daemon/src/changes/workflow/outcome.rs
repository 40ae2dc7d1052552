//! Ends workflows that have nothing left to do, and revives them.

use agent_worker_protocol::{Mode, WorkflowState};

use crate::{
    changes::{proposal::close, workflow::state},
    context::Cx,
    error::Result,
    rows::WorkflowRow,
    rules::outcome,
};

/// Ends a scope that has nothing left to do, and lets an ended one go on that has. How one ended
/// is what the tables say of it now: when the last held mail is dropped, it is stalled no more.
pub fn judge(cx: &mut Cx<'_>, id: i64) -> Result<()> {
    let scope = WorkflowRow::by_id(cx.db, id)?;
    if scope.mode != Mode::Run || !scope.was_kicked_off() || !outcome::is_judged(scope.state) {
        return Ok(());
    }
    // If no working agent is left to vote, proposals end as on expiry, and their results may be new
    // work.
    let goes_on = outcome::has_work(cx, &scope)?
        || close::close_open(cx, id)? && outcome::has_work(cx, &WorkflowRow::by_id(cx.db, id)?)?;
    if scope.is_archived && !goes_on {
        return Ok(());
    }
    let (state, reason) =
        if goes_on { (WorkflowState::Running, None) } else { outcome::outcome(cx, &scope)? };
    if state == scope.state && reason == scope.outcome_reason {
        return Ok(());
    }
    state::enter(cx, id, state, reason.as_deref())
}
