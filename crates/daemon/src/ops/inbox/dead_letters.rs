//! Retries, releases and discards dead letters and held deliveries.

use agent_worker_protocol::{
    Deliveries, DeliveryDrop, DeliveryRelease, DeliveryRetry, DeliveryState, MessageHide,
    MessageId, Target, Wanted,
};

use crate::{
    context::{Cx, Run},
    error::{OpError, Result},
    rows::{AgentRow, DeliveryRow, WorkflowRow, delivery, message, session},
    rules::{blocker, budget, edges::DROPPED},
};

/// Deliveries with their recipients.
type Chosen = Vec<(AgentRow, DeliveryRow)>;

/// The deliveries that a request names: those of a target that are dead or held, or one message's.
fn chosen(cx: &Cx<'_>, target: Option<&Target>, message: Option<MessageId>) -> Result<Chosen> {
    match (target, message) {
        (Some(target), None) => kept_of(cx, target),
        (None, Some(id)) => of_message(cx, id),
        _ => Err(OpError::invalid("name either a target or a message")),
    }
}

/// The members that a target names.
fn members_of(cx: &Cx<'_>, target: &Target) -> Result<Vec<AgentRow>> {
    let (scope, name) = cx.locate(target)?;
    match name {
        Some(name) => Ok(vec![AgentRow::by_name(cx.db, &scope, &name)?]),
        None => AgentRow::of_scope(cx.db, scope.id),
    }
}

fn kept_of(cx: &Cx<'_>, target: &Target) -> Result<Chosen> {
    let mut found = Vec::new();
    for member in members_of(cx, target)? {
        for row in delivery::kept(cx.db, member.id)? {
            found.push((member.clone(), row));
        }
    }
    Ok(found)
}

pub fn of_message(cx: &Cx<'_>, id: MessageId) -> Result<Chosen> {
    let message = message::find(cx.db, id.number())?.ok_or_else(|| message::missing(id))?;
    let (scope, _) = cx.locate(&message.scope.into())?;
    let mut found = Vec::new();
    for member in AgentRow::of_scope(cx.db, scope.id)?.into_iter().filter(AgentRow::works) {
        if let Some(row) = delivery::find(cx.db, member.id, id.number())? {
            found.push((member, row));
        }
    }
    Ok(found)
}

/// Sends the chosen deliveries that `fits` accepts on their way; refuses if none fits. `target` is
/// whose they are, unless those of a message were chosen.
fn send_on(
    cx: &mut Cx<'_>,
    target: Option<&Target>,
    chosen: Chosen,
    fits: impl Fn(&DeliveryRow) -> bool,
    send: impl Fn(&mut DeliveryRow) -> Result<()>,
    what: &str,
) -> Result<Deliveries> {
    let mut deliveries = Vec::new();
    let mut states: Vec<_> = chosen.iter().map(|(_, row)| blocker::word(row)).collect();
    states.dedup();
    let first = chosen.first().map(|(_, row)| format!("msg_{}", row.seq));
    for (member, mut row) in chosen.into_iter().filter(|(_, row)| fits(row)) {
        send(&mut row)?;
        row.save(cx, &member)?;
        cx.touch_attention(member.scope_id);
        deliveries.push(row.entity(&member));
    }
    if deliveries.is_empty() {
        let nothing = nothing(target, what);
        let Some(first) = first else {
            return Err(OpError::conflict(nothing).hint("agent-worker status"));
        };
        let found = states.join(" and ");
        return Err(OpError::conflict(format!("{nothing}: {first} is {found}"))
            .hint(format!("agent-worker why {first}")));
    }
    Ok(Deliveries { deliveries })
}

/// Text of the refusal where no delivery is `what`. A message is named behind it.
fn nothing(target: Option<&Target>, what: &str) -> String {
    match target {
        Some(target) => format!("no delivery for `{target}` is {what}"),
        None => format!("no delivery here is {what}"),
    }
}

impl Run for DeliveryRetry {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Deliveries> {
        cx.operator_only("retrying dead letters")?;
        let chosen = chosen(cx, self.target.as_ref(), self.message)?;
        let is_dead = |row: &DeliveryRow| row.state == DeliveryState::Dead;
        send_on(cx, self.target.as_ref(), chosen, is_dead, DeliveryRow::retry, "a dead letter")
            .map_err(|refusal| resumed_instead(cx, self.target.as_ref(), refusal))
    }
}

/// What helps where there is nothing to retry because its agent is paused or stopped.
fn resumed_instead(cx: &Cx<'_>, target: Option<&Target>, refusal: OpError) -> OpError {
    let Some(Ok((scope, name))) = target.map(|target| cx.locate(target)) else { return refusal };
    let Ok(mut members) = AgentRow::of_scope(cx.db, scope.id) else { return refusal };
    members.retain(|it| it.works() && name.as_ref().is_none_or(|name| it.name == *name));
    match members.iter().find(|member| member.wanted != Wanted::Active) {
        Some(member) => refusal.hint(format!("agent-worker resume {}", member.target())),
        None => refusal,
    }
}

impl Run for DeliveryRelease {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Deliveries> {
        cx.operator_only("releasing deliveries")?;
        let chosen = chosen(cx, self.target.as_ref(), self.message)?;
        let chosen = without_refused(cx, chosen)?;
        let is_held = |row: &DeliveryRow| row.state == DeliveryState::Held;
        send_on(cx, self.target.as_ref(), chosen, is_held, DeliveryRow::release, "held")
    }
}

/// What may be released: mail that a budget holds would be held again at once while it is used
/// up. Refuses if there is nothing else.
fn without_refused(cx: &Cx<'_>, chosen: Chosen) -> Result<Chosen> {
    let is_of_budget = |row: &DeliveryRow| row.held_reason.as_deref().is_some_and(budget::has_held);
    let Some((member, row)) = chosen.iter().find(|(_, row)| is_of_budget(row)) else {
        return Ok(chosen);
    };
    let scope = WorkflowRow::by_id(cx.db, member.scope_id)?;
    let message = format!("msg_{} would be held again at once", row.seq);
    let Err(refusal) = budget::check_open(cx, &scope, &message) else { return Ok(chosen) };
    let rest: Chosen = chosen.into_iter().filter(|(_, row)| !is_of_budget(row)).collect();
    let has_more = rest.iter().any(|(_, row)| row.state == DeliveryState::Held);
    if has_more { Ok(rest) } else { Err(refusal) }
}

impl Run for DeliveryDrop {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Deliveries> {
        cx.operator_only("dropping deliveries")?;
        let chosen = chosen(cx, self.target.as_ref(), self.message)?;
        let is_kept =
            |row: &DeliveryRow| matches!(row.state, DeliveryState::Held | DeliveryState::Dead);
        // Of a message that is dead for one member, the others are still to read theirs.
        let by_name = self.message.is_some() && !chosen.iter().any(|(_, row)| is_kept(row));
        if by_name {
            check_not_handled(&chosen)?;
        }
        if let Some(target) = self.target.as_ref().filter(|_| chosen.is_empty()) {
            check_not_pending(cx, target)?;
        }
        let waits = |row: &DeliveryRow| {
            matches!(row.state, DeliveryState::Pending | DeliveryState::Waiting)
        };
        let fits = |row: &DeliveryRow| is_kept(row) || (by_name && waits(row));
        let drop = |row: &mut DeliveryRow| row.discard(DROPPED);
        let wanted =
            if by_name { "a dead letter, held or waiting" } else { "a dead letter or held" };
        send_on(cx, self.target.as_ref(), chosen, fits, drop, wanted)
    }
}

/// Refuses to drop all mail of a target where only pending mail is left: each has to be named.
fn check_not_pending(cx: &Cx<'_>, target: &Target) -> Result<()> {
    for member in members_of(cx, target)?.iter().filter(|member| member.works()) {
        if let Some(row) = delivery::open(cx.db, member.id, 1)?.first() {
            let (id, state) = (format!("msg_{}", row.seq), blocker::word(row));
            let nothing = nothing(Some(target), "a dead letter or held");
            let text =
                format!("{nothing}: `agent-worker drop {id}` discards {id}, which is {state}");
            let hint = format!("agent-worker inbox {}", member.target());
            return Err(OpError::conflict(text).hint(hint));
        }
    }
    Ok(())
}

/// A run that has the message is not to lose it in the middle.
fn check_not_handled(chosen: &Chosen) -> Result<()> {
    let Some((_, row)) = chosen.iter().find(|(_, row)| row.state == DeliveryState::Leased) else {
        return Ok(());
    };
    let run = row.run.unwrap_or_default();
    Err(OpError::conflict(format!("msg_{} is being handled by run_{run}", row.seq))
        .hint(format!("agent-worker cancel run_{run}")))
}

impl Run for MessageHide {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Deliveries> {
        cx.operator_only("hiding a message")?;
        let chosen = of_message(cx, self.message)?;
        check_not_handled(&chosen)?;
        message::hide(cx.db, self.message)?;
        if let Some(message) = message::inside(cx.db, self.message.number())? {
            session::mark_anew_after(cx.db, message.root, self.message)?;
        }
        let is_open =
            |row: &DeliveryRow| !matches!(row.state, DeliveryState::Acked | DeliveryState::Dropped);
        let mut deliveries = Vec::new();
        for (member, mut row) in chosen.into_iter().filter(|(_, row)| is_open(row)) {
            row.go(DeliveryState::Dropped)?;
            row.save(cx, &member)?;
            cx.touch_attention(member.scope_id);
            deliveries.push(row.entity(&member));
        }
        Ok(Deliveries { deliveries })
    }
}
