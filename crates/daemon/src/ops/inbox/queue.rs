//! What waits for an agent, in order.

use agent_worker_protocol::{AgentQueue, Cause, MemberKind, MessageId, Queue, Queued, WaitsFor};

use crate::{
    context::{Cx, Run, limit},
    error::{OpError, Result},
    rows::{AgentRow, DeliveryRow, RunRow, WorkflowRow, delivery, message},
    rules::blocker::{self, Blocker},
};

impl Run for AgentQueue {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Queue> {
        let agent = cx.locate_member(&self.target)?.expect_agent()?;
        if !cx.is_person() && cx.member_in(agent.scope_id)?.is_none_or(|me| me.id != agent.id) {
            return Err(OpError::denied(format!("this is the queue of `{}`", agent.target())));
        }
        let scope = WorkflowRow::by_id(cx.db, agent.scope_id)?;
        let limit = limit::at_most(self.limit, 50, 500)?;
        let all = of_agent(cx, &scope, &agent)?;
        let mut queue = Vec::new();
        if agent.woken {
            queue.push(woken(&all));
        }
        for row in mail(cx, &agent, limit)? {
            queue.push(queued(cx, &scope, &row, &all)?);
        }
        let (mut queue, more) = limit::cut(queue, limit);
        for (place, queued) in (1..).zip(&mut queue) {
            queued.position = place;
        }
        Ok(Queue { queue, more })
    }
}

/// Waking mail and one more than the limit, where there is more: what is due, what waits for its
/// time, what waits for the person.
pub fn mail(cx: &Cx<'_>, agent: &AgentRow, limit: u32) -> Result<Vec<DeliveryRow>> {
    let mut open = delivery::first_waking(cx.db, agent.id, limit + 1)?;
    open.sort_by_key(|row| (blocker::future(cx, row), row.seq));
    open.extend(delivery::first_kept(cx.db, agent.id, limit + 1)?);
    Ok(open)
}

/// What keeps all that waits for an agent: the first thing there is, what is nearest to the agent
/// before what is far.
struct OfAgent {
    /// Whatever any mail waits for
    first: Option<Blocker>,
    /// What due mail waits for beyond that
    then: Blocker,
}

fn of_agent(cx: &Cx<'_>, scope: &WorkflowRow, agent: &AgentRow) -> Result<OfAgent> {
    let first = blocker::of_wanted(scope, agent).or_else(|| blocker::of_scope(scope));
    let first = match first {
        None => blocker::of_outside(cx.db, agent)?,
        known => known,
    };
    let then = match RunRow::live_of(cx.db, agent.id)? {
        Some(id) => Some(blocker::of_run(cx, &RunRow::by_id(cx.db, id)?)?),
        None => blocker::of_model(cx, agent)?,
    };
    let then = match then {
        Some(then) => then,
        None if agent.kind == MemberKind::External => blocker::none(agent),
        None => {
            let place = blocker::of_place(cx, scope)?.into_iter().next();
            place.unwrap_or_else(|| blocker::none(agent))
        }
    };
    Ok(OfAgent { first, then })
}

/// What a person's wake waits for.
fn woken(all: &OfAgent) -> Queued {
    let mut blocker = all.first.as_ref().unwrap_or(&all.then).clone();
    if blocker.what == WaitsFor::Turn {
        "the user woke it: it starts in its turn".clone_into(&mut blocker.text);
    }
    waiting(Cause::Wake, blocker)
}

/// What keeps something of a queue, without the message that it is.
fn waiting(reason: Cause, blocker: Blocker) -> Queued {
    let is_timed = matches!(blocker.what, WaitsFor::Backoff | WaitsFor::Model);
    Queued {
        position: 0,
        reason,
        sender: None,
        message: None,
        group: None,
        state: None,
        attempts: 0,
        since: None,
        not_before: blocker.at.filter(|_| is_timed),
        waits_for: blocker.what,
        text: blocker.text,
        hint: blocker.hint,
    }
}

fn queued(cx: &Cx<'_>, scope: &WorkflowRow, row: &DeliveryRow, all: &OfAgent) -> Result<Queued> {
    let message = message::by_seq(cx.db, row.seq)?;
    let blocker = blocker::of_kept(scope, row)
        .or_else(|| all.first.clone())
        .or_else(|| blocker::of_time(cx, row))
        .unwrap_or_else(|| all.then.clone());
    Ok(Queued {
        sender: Some(message.sender),
        message: Some(MessageId::new(row.seq)),
        group: Some(message.group),
        state: Some(row.state),
        attempts: row.attempts,
        since: Some(row.sent_at),
        ..waiting(row.reason.into(), blocker)
    })
}
