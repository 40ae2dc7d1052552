//! Whether a workflow goes on. This is decided at the end of every transaction that touched what it
//! waits for, without guesses and without delay.

use std::collections::HashSet;

use agent_worker_protocol::{RunKind, Wanted, WorkflowState};

use crate::{
    context::Cx,
    error::Result,
    rows::{AgentRow, Db, DeliveryRow, RunRow, WorkflowRow, candidate, delivery, question},
};

/// Why a scope failed whose setup the person stopped.
pub const STOPPED_IN_SETUP: &str = "stopped in setup";

/// What stands before and behind the command in the reason of a setup step that failed.
pub const STEP: &str = "the setup step `";
pub const STEP_FAILED: &str = "` failed: ";

/// Whether a state follows from the tables, and not from the person.
pub fn is_judged(state: WorkflowState) -> bool {
    match state {
        WorkflowState::Running
        | WorkflowState::Completed
        | WorkflowState::Failed
        | WorkflowState::Stalled => true,
        WorkflowState::Created | WorkflowState::SettingUp | WorkflowState::Stopped => false,
    }
}

/// A live run, an open question, or waking mail of an active member that is not the person.
pub fn has_work(cx: &Cx<'_>, scope: &WorkflowRow) -> Result<bool> {
    Ok(is_at_work(cx, scope, |_| true)? || is_waiting(cx, scope, candidate::with_waking)?)
}

/// The same, without the mail of schedules and heartbeats and the runs that have no other.
pub fn has_unscheduled_work(cx: &Cx<'_>, scope: &WorkflowRow) -> Result<bool> {
    let is_unscheduled = |mail: &DeliveryRow| !mail.is_schedule();
    Ok(is_at_work(cx, scope, is_unscheduled)?
        || is_waiting(cx, scope, candidate::with_unscheduled)?)
}

/// A live run that has waking mail which counts. One without any was started by the user, or it is
/// of an external member, which also opens one to read what wakes no one.
fn is_at_work(
    cx: &Cx<'_>,
    scope: &WorkflowRow,
    counts: impl Fn(&DeliveryRow) -> bool,
) -> Result<bool> {
    for run in RunRow::live_of_scope(cx.db, scope.id)? {
        let mut mail = delivery::of_run(cx.db, run.id.number(), run.agent)?;
        mail.retain(|row| row.wakes);
        let is_of_user = mail.is_empty() && run.kind != RunKind::External;
        if is_of_user || mail.iter().any(&counts) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// An open question, or an active member other than the person that was woken or has such mail.
fn is_waiting(
    cx: &Cx<'_>,
    scope: &WorkflowRow,
    mail: impl FnOnce(Db<'_>, i64) -> Result<Vec<i64>>,
) -> Result<bool> {
    if question::is_open_in(cx.db, scope.id)? {
        return Ok(true);
    }
    let with_mail: HashSet<i64> = mail(cx.db, scope.id)?.into_iter().collect();
    let is_due = |member: &AgentRow| member.woken || with_mail.contains(&member.id);
    let goes_on =
        |member: &AgentRow| member.works() && member.wanted == Wanted::Active && is_due(member);
    Ok(AgentRow::team(cx.db, scope.id)?.iter().any(goes_on))
}

pub fn outcome(cx: &Cx<'_>, scope: &WorkflowRow) -> Result<(WorkflowState, Option<String>)> {
    let members = AgentRow::team(cx.db, scope.id)?;
    let mut all_kept = delivery::first_kept_of_scope(cx.db, scope.id)?;
    let mut stalled = Vec::new();
    let mut failed = Vec::new();
    for member in members.iter().filter(|member| member.works()) {
        let kept = all_kept.remove(&member.id).unwrap_or_default();
        if let Some(first) = kept.held.and_then(|row| row.held_reason) {
            stalled.push(format!("a delivery to {} is held ({first})", member.name));
        }
        if member.wanted != Wanted::Active && candidate::has_waking(cx.db, member.id)? {
            let why = match (member.wanted, &member.paused_reason) {
                (Wanted::Paused, Some(reason)) => format!("paused: {reason}"),
                (Wanted::Paused, None) => "paused".to_owned(),
                _ => "stopped".to_owned(),
            };
            stalled.push(format!("{} has open deliveries and is {why}", member.name));
        }
        if let Some(dead) = kept.dead {
            let last = dead.last_error.unwrap_or_default();
            failed.push(format!("{} has a dead letter: {last}", member.name));
        }
    }
    Ok(if !stalled.is_empty() {
        (WorkflowState::Stalled, Some(stalled.join("; ")))
    } else if !failed.is_empty() {
        (WorkflowState::Failed, Some(failed.join("; ")))
    } else {
        (WorkflowState::Completed, None)
    })
}
