//! How a question ends: the user answers, it expires, or it is no longer needed. The asker is told
//! by its own call while it waits, and by message afterwards.

use std::ops::Range;

use agent_worker_protocol::{
    DeliveryState, Intent, Interval, Name, QuestionId, QuestionKind, Reason, RunId, Timestamp,
    question::Asked,
};

use crate::{
    changes::message::{conversation, post},
    clock::AHEAD,
    context::Cx,
    entities::question::announce,
    error::Result,
    rows::{self, AgentRow, QuestionRow, RunRow, WorkflowRow, delivery},
    rules::{access::question, draft::Draft, edges::REMOVED},
};

/// Why a permission is closed whose call ended before the decision.
pub const CALL_ENDED: &str = "its call ended";

/// Tells the asker, and all clients, that a question is decided.
pub fn settle(cx: &mut Cx<'_>, id: QuestionId) -> Result<QuestionRow> {
    let row = QuestionRow::by_id(cx.db, id)?;
    match row.kind {
        QuestionKind::Permission => stop_waiting(cx, &row)?,
        // Its call, which is being waited for, tells it.
        QuestionKind::Question if row.waits => {}
        QuestionKind::Question => deliver(cx, &row)?,
    }
    announce(cx, id)
}

fn stop_waiting(cx: &mut Cx<'_>, row: &QuestionRow) -> Result<()> {
    row.stop_waiting(cx.db)?;
    cx.touch_agent(row.agent);
    Ok(())
}

/// Sends the decision to the asker: an answer from the user, all else from the daemon.
fn deliver(cx: &mut Cx<'_>, row: &QuestionRow) -> Result<()> {
    let agent = AgentRow::by_id(cx.db, row.agent)?;
    if agent.removed {
        return Ok(());
    }
    let scope = WorkflowRow::by_id(cx.db, row.scope_id)?;
    let person = AgentRow::by_name(cx.db, &scope, &Name::person())?;
    let group = conversation::direct(cx, &agent, &person)?;
    let (text, asked) = told(row);
    let asking = row.run.map_or(Ok(None), |run| RunRow::find(cx.db, run))?;
    let is_answered = row.answer.is_some();
    // A decision of the daemon has the hop count of the run that asked.
    let asking = asking.filter(|_| !is_answered);
    let draft = Draft {
        sender: is_answered.then_some(&person),
        data: &[asked],
        intent: Intent::Request,
        recipients: vec![(agent, Reason::Answer)],
        hop: asking.as_ref().map_or(0, |run| run.hop),
        root: asking.as_ref().and_then(|run| run.root),
        ..Draft::new(&scope, &group, &text)
    };
    let seq = post::post(cx, &draft)?.seq;
    row.note_message(cx.db, seq)
}

/// What was decided, as a message, and where the question stands in it.
pub fn told(row: &QuestionRow) -> (String, Range<usize>) {
    let head = format!("{}: ", row.id);
    let asked = head.len()..head.len() + row.text.len();
    let text = match (&row.answer, &row.expired_because) {
        (Some(answer), _) => format!("{head}{}\n\n{answer}", row.text),
        (None, because) => {
            let because = because.as_deref().unwrap_or_default();
            format!("{head}{}\n\n{because}: {}", row.text, row.instead())
        }
    };
    (text, asked)
}

/// Tells the asker the decision. A message that carries it is no longer needed.
pub fn take(cx: &mut Cx<'_>, row: &QuestionRow) -> Result<Asked> {
    stop_waiting(cx, row)?;
    if let Some(message) = row.message
        && let Some(mut mail) = delivery::find(cx.db, row.agent, message)?
        && matches!(
            mail.state,
            DeliveryState::Pending
                | DeliveryState::Waiting
                | DeliveryState::Held
                | DeliveryState::Dead
        )
    {
        let agent = AgentRow::by_id(cx.db, row.agent)?;
        mail.go(DeliveryState::Dropped)?;
        mail.save(cx, &agent)?;
    }
    Ok(row.asked())
}

/// Gives what was decided to a further attempt, which has used it from here on.
pub fn hand_on(cx: &mut Cx<'_>, row: &QuestionRow, to: RunId) -> Result<QuestionRow> {
    rows::question::wait(cx.db, row.id, Some(to))?;
    row.stop_waiting(cx.db)?;
    announce(cx, row.id)
}

/// The asker stops waiting: it gets the state of the question, and later a message.
pub fn leave(cx: &mut Cx<'_>, id: QuestionId) -> Result<Asked> {
    let row = question::of_caller(cx, id)?;
    if !row.is_open() {
        return take(cx, &row);
    }
    stop_waiting(cx, &row)?;
    Ok(row.asked())
}

/// The asker is gone before the decision: it gets the decision as a message. A permission is closed
/// for this reason.
fn forsake(cx: &mut Cx<'_>, row: &QuestionRow, because: &str) -> Result<()> {
    stop_waiting(cx, row)?;
    match row.kind {
        QuestionKind::Permission if row.is_open() => close(cx, row, because),
        QuestionKind::Question if !row.is_open() => deliver(cx, row),
        _ => Ok(()),
    }
}

/// The call that asked is gone, and may not have received the decision.
pub fn forsake_call(cx: &mut Cx<'_>, id: QuestionId) -> Result<()> {
    let row = QuestionRow::by_id(cx.db, id)?;
    if row.waits { forsake(cx, &row, CALL_ENDED) } else { Ok(()) }
}

/// A run ends: it stops waiting, and needs no permission.
pub fn leave_of_run(cx: &mut Cx<'_>, run: RunId) -> Result<()> {
    let waiting = rows::question::waiting_of_run(cx.db, run)?;
    waiting.iter().try_for_each(|row| forsake(cx, row, "its run ended"))
}

/// No call waits for an answer any more: all ended with the earlier daemon.
pub fn leave_all(cx: &mut Cx<'_>) -> Result<()> {
    let waiting = rows::question::waiting(cx.db)?;
    waiting.iter().try_for_each(|row| forsake(cx, row, "its run ended"))
}

/// Closes the questions whose time is over, and tells when the next one's will be.
pub fn expire_due(cx: &mut Cx<'_>) -> Result<Option<Timestamp>> {
    for row in rows::question::from_after(cx.db, cx.now.after(AHEAD))? {
        // The clock was set back since it was asked.
        row.restart(cx.db, cx.now)?;
        announce(cx, row.id)?;
    }
    for row in rows::question::due(cx.db, cx.now)? {
        let span = Interval::from(row.expires_at.since(row.created_at));
        row.expire(cx.db, &format!("no answer within {span}"))?;
        settle(cx, row.id)?;
    }
    rows::question::next_due(cx.db)
}

/// Closes what an agent has asked that is removed.
pub fn close_of_agent(cx: &mut Cx<'_>, agent: &AgentRow) -> Result<()> {
    let mut open = QuestionRow::open_of_scope(cx.db, agent.scope_id)?;
    open.retain(|row| row.agent == agent.id);
    open.iter().try_for_each(|row| close(cx, row, REMOVED))
}

/// Closes all that was asked in a scope.
pub fn close_of_scope(cx: &mut Cx<'_>, scope: i64, because: &str) -> Result<()> {
    let open = QuestionRow::open_of_scope(cx.db, scope)?;
    open.iter().try_for_each(|row| close(cx, row, because))
}

/// Closes a question that no longer needs an answer.
pub fn close(cx: &mut Cx<'_>, row: &QuestionRow, because: &str) -> Result<()> {
    row.expire(cx.db, because)?;
    stop_waiting(cx, row)?;
    announce(cx, row.id).map(drop)
}
