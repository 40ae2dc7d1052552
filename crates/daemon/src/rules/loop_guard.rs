//! The loop guard: what keeps agents from waking each other for ever. It is computed here and
//! never left to a model.

use std::ops::ControlFlow;

use agent_worker_protocol::{DeliveryState, MemberKind, Reason};

use crate::{
    clock::AHEAD,
    context::Cx,
    error::{OpError, Result},
    rows::{AgentRow, DeliveryRow, RunRow, WorkflowRow, delivery, message, run::count_of_root},
    rules::draft::Draft,
};

/// Mail that the limit of hops holds has a reason that begins so.
pub const HOPS: &str = "hops";

/// Mail that the limit of runs holds has a reason that begins so.
pub const RUNS: &str = "runs";

/// Mail that the pair rate holds has a reason that begins so.
const PAIR: &str = "pair rate";

/// Mail that says again what was said has a reason that begins so.
const REPETITION: &str = "repetition";

/// How many of the newest messages of a recipient, and of the sender, are looked at for the pair
/// rate.
pub const LOOKED_AT: u32 = 500;

/// Why a message is kept from a recipient, if it is. The likeness is the draft's.
pub fn hold_reason(
    cx: &Cx<'_>,
    draft: &Draft<'_>,
    likeness: Option<[u8; 8]>,
    recipient: &AgentRow,
    (reason, wakes): (Reason, bool),
) -> Result<Option<String>> {
    let Some(sender) = draft.sender.filter(|sender| sender.works()) else { return Ok(None) };
    if !recipient.works() {
        return Ok(None);
    }
    if wakes && let Some(reason) = too_far(cx, draft.scope, draft.hop) {
        return Ok(Some(reason));
    }
    if wakes && let Some(reason) = too_often(cx, sender, recipient)? {
        return Ok(Some(reason));
    }
    // An agent that gives the same answer to many requests is not in a circle; the asker would be.
    if reason == Reason::Reply || (reason == Reason::Group && !wakes) {
        return Ok(None);
    }
    let (Some(root), Some(likeness)) = (draft.root, likeness) else { return Ok(None) };
    repeated(cx, (root, &likeness), sender, recipient)
}

pub fn too_far(cx: &Cx<'_>, scope: &WorkflowRow, hop: i64) -> Option<String> {
    let most = most_hops(cx, scope);
    (hop > most)
        .then(|| format!("{HOPS}: {hop} runs since the user acted, and {most} is the limit"))
}

/// How many runs may lie between a message and a person.
fn most_hops(cx: &Cx<'_>, scope: &WorkflowRow) -> i64 {
    i64::from(scope.limits.hops.unwrap_or(cx.settings.guard.hops))
}

/// How many runs one message may lead to.
fn most_runs(cx: &Cx<'_>, scope: &WorkflowRow) -> i64 {
    i64::from(scope.limits.runs.unwrap_or(cx.settings.guard.runs))
}

/// Why a delivery may start no further run: its root has led to too many, and the user has not
/// released it.
pub fn too_many(cx: &Cx<'_>, scope: &WorkflowRow, row: &DeliveryRow) -> Result<Option<String>> {
    if row.released {
        return Ok(None);
    }
    let (runs, most) = (count_of_root(cx.db, row.root)?, most_runs(cx, scope));
    let (root, plural) = (row.root, if runs == 1 { "" } else { "s" });
    Ok((runs >= most).then(|| {
        format!("{RUNS}: msg_{root} has led to {runs} run{plural}, and {most} is the limit")
    }))
}

/// The command that releases what the limit of runs holds: a limit of twice what the reason counts,
/// or twice the present one where that is more. `None` for another reason. A released delivery gets
/// one run, and what that run sends is held again.
pub fn remedy(scope: &WorkflowRow, reason: &str) -> Option<String> {
    let (_, said) = reason.strip_prefix(RUNS)?.split_once(" has led to ")?;
    let led_to: u32 = said.split(' ').next()?.parse().ok()?;
    let raised = scope.limits.runs.unwrap_or(0).max(led_to).saturating_mul(2);
    Some(format!("agent-worker limits {} runs={raised}", scope.scope))
}

fn too_often(cx: &Cx<'_>, sender: &AgentRow, recipient: &AgentRow) -> Result<Option<String>> {
    let guard = &cx.settings.guard;
    let (mut wakes, mut looked, mut kept, mut reached) = (0, 0, None, None);
    delivery::each_newest(cx.db, recipient.id, LOOKED_AT, |row| {
        let is_old = cx.now.since(row.sent_at) > guard.pair_window.duration()
            || row.sent_at > cx.now.after(AHEAD);
        if is_old || row.sender_kind == MemberKind::Person {
            return ControlFlow::Break(());
        }
        looked += 1;
        let is_of_pair = row.wakes && row.sender_agent == Some(sender.id);
        // What was kept back before a run had it has not woken anybody.
        let is_kept = matches!(row.state, DeliveryState::Held | DeliveryState::Dropped);
        let has_woken = is_of_pair && !(is_kept && row.run.is_none());
        wakes += i64::from(has_woken);
        if is_of_pair && row.state == DeliveryState::Held {
            kept = kept.or(Some(row.seq));
        }
        // Older wakes are not counted here; what was held last tells of them.
        let is_flooded = looked == LOOKED_AT && kept.is_some();
        if wakes < guard.pair_wakes && !is_flooded {
            return ControlFlow::Continue(());
        }
        reached = Some(row.seq);
        ControlFlow::Break(())
    })?;
    let Some(reached) = reached else { return Ok(None) };
    // Since the user wrote to the sender there were fewer.
    let asked = message::newest_of_person(cx.db, sender.id, LOOKED_AT)?;
    if asked.is_some_and(|asked| asked > reached) {
        return Ok(None);
    }
    if wakes >= guard.pair_wakes {
        return Ok(Some(format!(
            "{PAIR}: {} woke {} {wakes} times in {} without the user in between",
            sender.name, recipient.name, guard.pair_window
        )));
    }
    let kept = kept.map_or(Ok(None), |seq| delivery::find(cx.db, recipient.id, seq))?;
    Ok(kept.and_then(|row| row.held_reason).filter(|reason| reason.starts_with(PAIR)))
}

/// Whether the sender has told the recipient the same often enough since a person spoke, in
/// whatever run.
fn repeated(
    cx: &Cx<'_>,
    (root, likeness): (i64, &[u8; 8]),
    sender: &AgentRow,
    recipient: &AgentRow,
) -> Result<Option<String>> {
    let most = cx.settings.guard.repeats;
    let before = message::count_alike(cx.db, root, likeness, sender.id, recipient.id)?;
    Ok((before + 1 >= most).then(|| {
        format!(
            "{REPETITION}: {} told {} the same {} times, and {most} is the limit \
             (`guard.repeats`)",
            sender.name,
            recipient.name,
            before + 1
        )
    }))
}

/// Refuses a second `@all` of a run, whomever it would reach.
pub fn check_all_once(cx: &Cx<'_>, run: &RunRow) -> Result<()> {
    if !message::has_called_all(cx.db, run.id)? {
        return Ok(());
    }
    Err(OpError::conflict("a run can call @all once: this run has done so")
        .hint("name the members it concerns"))
}
