//! What a scope may use, its use so far, and what happens at the limit.

use std::time::Duration;

use agent_worker_protocol::{Interval, Limits, MemberKind, Scope, Timestamp, Wanted};

use crate::{
    context::Cx,
    error::{OpError, Result},
    rows::{AgentRow, WorkflowRow, cost},
};

/// Mail that a budget holds has a reason that begins so.
pub const HELD: &str = "budget";

/// Which budget of a scope is used up, in words.
pub fn exhausted(cx: &Cx<'_>, scope: &WorkflowRow) -> Option<String> {
    let limits = &scope.limits;
    if let Some(most) = limits.tokens
        && scope.tokens_used >= i64::try_from(most).unwrap_or(i64::MAX)
    {
        return Some(format!("{HELD}: {} of {most} tokens are used", scope.tokens_used));
    }
    if let Some(most) = limits.cost
        && scope.cost_used >= cost::micros(most)
    {
        // Of a small budget cents would tell nothing.
        let digits = if most < 0.1 { 4 } else { 2 };
        let used = cost::dollars(scope.cost_used);
        return Some(format!("{HELD}: ${used:.digits$} of ${most:.digits$} are used"));
    }
    if let Some(most) = limits.duration
        && u128::try_from(scope.duration_until(cx.now))
            .is_ok_and(|ms| ms >= most.duration().as_millis())
    {
        return Some(format!("{HELD}: the time limit of {most} is used up"));
    }
    None
}

/// Whether a member fetches its mail itself, and may. Nothing else asks for a run of it.
pub fn fetches(member: &AgentRow) -> bool {
    member.kind == MemberKind::External && member.wanted == Wanted::Active
}

/// Why a message is kept from an external member, if it is. The mail of agents is held when a run of
/// theirs is refused.
pub fn hold_reason(cx: &Cx<'_>, scope: &WorkflowRow, recipient: &AgentRow) -> Option<String> {
    if fetches(recipient) && scope.takes_work() { exhausted(cx, scope) } else { None }
}

/// When a scope that goes on running has used up its time; none if it may run for ever.
pub fn deadline(cx: &Cx<'_>, scope: &WorkflowRow) -> Option<Timestamp> {
    let most = scope.limits.duration?.duration();
    let used = u64::try_from(scope.duration_until(cx.now)).unwrap_or(0);
    let left = most.saturating_sub(Duration::from_millis(used));
    Some(cx.now.after(left))
}

/// Whether a budget holds mail that is held for this reason.
pub fn has_held(reason: &str) -> bool {
    reason.split(':').next() == Some(HELD)
}

/// The command that raises the budget which a reason names: to twice what it is, or twice what is
/// used where that is more.
pub fn remedy(scope: &WorkflowRow, reason: &str) -> String {
    let limits = &scope.limits;
    let raised = if reason.contains("tokens") {
        let used = u64::try_from(scope.tokens_used).unwrap_or(0);
        limits.tokens.map(|most| format!("tokens={}", most.max(used).saturating_mul(2)))
    } else if reason.contains('$') {
        let used = cost::dollars(scope.cost_used);
        limits.cost.map(|most| format!("cost={}", most.max(used) * 2.0))
    } else {
        raised_time(scope).map(|time| format!("duration={}", Interval::about(time)))
    };
    format!("agent-worker limits {} {}", scope.scope, raised.unwrap_or_default())
        .trim_end()
        .to_owned()
}

/// The limit of time that the remedy names. It follows from the time that is booked.
fn raised_time(scope: &WorkflowRow) -> Option<Duration> {
    let used = Duration::from_millis(u64::try_from(scope.duration_used).unwrap_or(0));
    Some(scope.limits.duration?.duration().max(used).saturating_mul(2))
}

/// Whether most of the time that the remedy names is used up too: the scope has gone on running
/// since its time was booked.
pub fn is_remedy_outdated(cx: &Cx<'_>, scope: &WorkflowRow) -> bool {
    let used = u64::try_from(scope.duration_until(cx.now)).unwrap_or(0);
    raised_time(scope).is_some_and(|raised| Duration::from_millis(used) >= raised / 4 * 3)
}

/// Refuses what would be held at once.
pub fn check_open(cx: &Cx<'_>, scope: &WorkflowRow, what: &str) -> Result<()> {
    let Some(reason) = exhausted(cx, scope) else { return Ok(()) };
    Err(OpError::conflict(format!("{what}: {reason}")).hint(remedy(scope, &reason)))
}

/// Refuses limits that allow nothing.
pub fn check(limits: &Limits, scope: &Scope) -> Result<()> {
    let zero = [
        ("hops", limits.hops == Some(0)),
        ("runs", limits.runs == Some(0)),
        ("agents", limits.agents == Some(0)),
        ("tokens", limits.tokens == Some(0)),
        ("max_runs", limits.max_runs == Some(0)),
        ("cost", limits.cost.is_some_and(|cost| !cost.is_finite() || cost <= 0.0)),
        ("duration", limits.duration.is_some_and(|span| span.duration().is_zero())),
        ("task_interval", limits.task_interval.is_some_and(|span| span.duration().is_zero())),
    ];
    if let Some(cost) = limits.cost.filter(|cost| 0.0 < *cost && *cost < Limits::LEAST_COST) {
        return Err(OpError::invalid(format!("invalid `cost` {cost}: must be at least 0.000001"))
            .hint(format!("agent-worker limits {scope}")));
    }
    // Nothing at all may be meant to stop it, less than that is a slip.
    let hint = if limits.cost.is_some_and(|cost| cost < 0.0) {
        format!("agent-worker limits {scope}")
    } else {
        format!("to stop the workflow: agent-worker stop {scope}")
    };
    let Some((name, _)) = zero.iter().find(|(_, is_zero)| *is_zero) else { return Ok(()) };
    Err(OpError::invalid(format!("`{name}` must be more than 0")).hint(hint))
}
