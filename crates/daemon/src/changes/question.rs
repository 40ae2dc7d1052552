//! How a question ends: the user answers, it expires, or it is no longer needed. The asker is told
//! by its own call while it waits, and by message afterwards.

use std::ops::Range;

use agent_worker_protocol::{
    channel::Intent,
    id::{QuestionId, RunId},
    inbox::{DeliveryState, Reason},
    name::Name,
    question::{Asked, Question, QuestionAnswer, QuestionKind},
    time::{Interval, Timestamp},
};
use rusqlite::params;

use crate::{
    changes::message::{
        conversation,
        post::{self, Draft},
    },
    context::cx::{Cx, Who},
    error::OpError,
    ops::list::Run,
    rows::{
        agent::AgentRow,
        delivery,
        question::{self, COLUMNS, NAMES, OPEN, QuestionRow, announce, query},
        run::RunRow,
        workflow::ScopeRow,
    },
};

impl Run for QuestionAnswer {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Question, OpError> {
        cx.operator_only("answering a question")?;
        if let Who::Operator { member: Some(member) } = &cx.who
            && member != Name::PERSON
        {
            return Err(OpError::denied(format!("only the user can answer, not `{member}`")));
        }
        let row = QuestionRow::by_id(cx.conn, self.id)?;
        check_is_open(&row)?;
        let answer = chosen(cx, &row, &self.answer)?;
        let sql = "UPDATE questions SET answer = ?2, answered_by = ?3, answered_at = ?4
                   WHERE id = ?1";
        cx.conn.prepare_cached(sql)?.execute(params![
            row.id.number(),
            answer,
            Name::PERSON,
            cx.now.0
        ])?;
        Ok(settle(cx, row.id)?.entity())
    }
}

/// The first answer stands; a later one is told so.
pub fn check_is_open(row: &QuestionRow) -> Result<(), OpError> {
    let id = row.id;
    if let Some(answer) = &row.answer {
        let by = row.answered_by.as_ref().map_or(Name::PERSON, Name::as_str);
        let message = format!("{id} was answered already, by {by}: `{answer}`");
        return Err(OpError::conflict(message).hint("agent-worker questions --all shows it"));
    }
    if let Some(because) = &row.expired_because {
        let then = match &row.default {
            Some(default) => format!(", and its default was taken: `{default}`"),
            None => String::new(),
        };
        return Err(OpError::conflict(format!("{id} is closed: {because}{then}"))
            .hint(format!("agent-worker send {} TEXT tells the agent", row.target())));
    }
    Ok(())
}

/// The option that is meant, in any case; any text where nothing is offered.
pub fn chosen<'a>(cx: &Cx<'_>, row: &'a QuestionRow, answer: &'a str) -> Result<&'a str, OpError> {
    let answer = answer.trim();
    if row.options.is_empty() {
        return match answer.len() {
            0 => Err(OpError::invalid("the answer is empty")),
            bytes if bytes > cx.settings.questions.bytes => Err(OpError::too_large(format!(
                "the answer has {bytes} bytes: the limit is {}",
                cx.settings.questions.bytes
            ))
            .hint(format!("agent-worker send {} - takes what is long", row.target()))),
            _ => Ok(answer),
        };
    }
    let lower = answer.to_lowercase();
    let exact = row.options.iter().find(|option| *option == answer);
    let found = exact.or_else(|| row.options.iter().find(|option| option.to_lowercase() == lower));
    found.map(String::as_str).ok_or_else(|| {
        OpError::invalid(format!("unknown option `{answer}` of {}", row.id))
            .hint(format!("options: {}", row.options.join(", ")))
    })
}

/// Tells the asker, and all clients, that a question is decided.
pub fn settle(cx: &mut Cx<'_>, id: QuestionId) -> Result<QuestionRow, OpError> {
    let row = QuestionRow::by_id(cx.conn, id)?;
    match row.kind {
        QuestionKind::Permission => stop_waiting(cx, &row)?,
        // Its call, which is being waited for, tells it.
        QuestionKind::Question if row.waits => {}
        QuestionKind::Question => deliver(cx, &row)?,
    }
    announce(cx, id)
}

pub fn stop_waiting(cx: &mut Cx<'_>, row: &QuestionRow) -> Result<(), OpError> {
    cx.conn
        .prepare_cached("UPDATE questions SET waits = 0 WHERE id = ?1")?
        .execute([row.id.number()])?;
    cx.touch_agent(row.agent);
    Ok(())
}

/// Sends the decision to the asker: an answer from the user, all else from the daemon.
pub fn deliver(cx: &mut Cx<'_>, row: &QuestionRow) -> Result<(), OpError> {
    let agent = AgentRow::by_id(cx.conn, row.agent)?;
    if agent.removed {
        return Ok(());
    }
    let scope = ScopeRow::by_id(cx.conn, row.scope_id)?;
    let person = AgentRow::by_name(cx.conn, &scope, &Name::person())?;
    let group = conversation::direct(cx, &agent, &person)?;
    let (text, asked) = told(row);
    let asking = match row.run {
        Some(run) => RunRow::find(cx.conn, run)?,
        None => None,
    };
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
    let seq = post::post(cx, &draft)?.message.seq;
    cx.conn
        .prepare_cached("UPDATE questions SET message = ?2 WHERE id = ?1")?
        .execute([row.id.number(), seq])?;
    Ok(())
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
pub fn take(cx: &mut Cx<'_>, row: &QuestionRow) -> Result<Asked, OpError> {
    stop_waiting(cx, row)?;
    if let Some(message) = row.message
        && let Some(mut mail) = delivery::find(cx.conn, row.agent, message)?
        && matches!(
            mail.state,
            DeliveryState::Pending
                | DeliveryState::Waiting
                | DeliveryState::Held
                | DeliveryState::Dead
        )
    {
        let agent = AgentRow::by_id(cx.conn, row.agent)?;
        mail.go(DeliveryState::Dropped)?;
        mail.save(cx, &agent)?;
    }
    Ok(row.asked())
}

/// The asker stops waiting: it gets the state of the question, and later a message.
pub fn leave(cx: &mut Cx<'_>, id: QuestionId) -> Result<Asked, OpError> {
    let row = question::of_caller(cx, id)?;
    if !row.is_open() {
        return take(cx, &row);
    }
    stop_waiting(cx, &row)?;
    Ok(row.asked())
}

/// The asker is gone before the decision: it gets the decision as a message.
pub fn forsake(cx: &mut Cx<'_>, row: &QuestionRow) -> Result<(), OpError> {
    stop_waiting(cx, row)?;
    match row.kind {
        QuestionKind::Permission if row.is_open() => close(cx, row, "its run ended"),
        QuestionKind::Question if !row.is_open() => deliver(cx, row),
        _ => Ok(()),
    }
}

/// The call that asked is gone, and may not have received the decision.
pub fn forsake_call(cx: &mut Cx<'_>, id: QuestionId) -> Result<(), OpError> {
    let row = question::of_caller(cx, id)?;
    if row.waits { forsake(cx, &row) } else { Ok(()) }
}

/// A run ends: it stops waiting, and needs no permission.
pub fn leave_of_run(cx: &mut Cx<'_>, run: RunId) -> Result<(), OpError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM questions AS q INDEXED BY questions_of_run {NAMES}
         WHERE q.run = ?1 AND q.waits = 1 ORDER BY q.id"
    );
    for row in query(cx.conn, &sql, [run.number()])? {
        forsake(cx, &row)?;
    }
    Ok(())
}

/// No call waits for an answer any more: all ended with the earlier daemon.
pub fn leave_all(cx: &mut Cx<'_>) -> Result<(), OpError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM questions AS q INDEXED BY questions_of_run {NAMES}
         WHERE q.waits = 1 ORDER BY q.id"
    );
    for row in query(cx.conn, &sql, [])? {
        forsake(cx, &row)?;
    }
    Ok(())
}

/// Closes the questions whose time is over, and tells when the next one's will be.
pub fn expire_due(cx: &mut Cx<'_>) -> Result<Option<Timestamp>, OpError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM questions AS q INDEXED BY questions_due {NAMES}
         WHERE {OPEN} AND q.expires_at <= ?1 ORDER BY q.id"
    );
    for row in query(cx.conn, &sql, [cx.now.0])? {
        let span = Interval::from(row.expires_at.since(row.created_at));
        note_closed(cx, &row, &format!("no answer within {span}"))?;
        settle(cx, row.id)?;
    }
    let sql = format!(
        "SELECT min(q.expires_at) FROM questions AS q INDEXED BY questions_due WHERE {OPEN}"
    );
    let next: Option<i64> = cx.conn.prepare_cached(&sql)?.query_row([], |row| row.get(0))?;
    Ok(next.map(Timestamp))
}

/// Closes what an agent has asked that is removed.
pub fn close_of_agent(cx: &mut Cx<'_>, agent: &AgentRow) -> Result<(), OpError> {
    for row in QuestionRow::open_of_scope(cx.conn, agent.scope_id)? {
        if row.agent == agent.id {
            close(cx, &row, "its agent was removed")?;
        }
    }
    Ok(())
}

/// Closes all that was asked in a scope.
pub fn close_of_scope(cx: &mut Cx<'_>, scope: i64, because: &str) -> Result<(), OpError> {
    for row in QuestionRow::open_of_scope(cx.conn, scope)? {
        close(cx, &row, because)?;
    }
    Ok(())
}

/// Closes a question that no longer needs an answer.
pub fn close(cx: &mut Cx<'_>, row: &QuestionRow, because: &str) -> Result<(), OpError> {
    note_closed(cx, row, because)?;
    stop_waiting(cx, row)?;
    announce(cx, row.id).map(drop)
}

pub fn note_closed(cx: &Cx<'_>, row: &QuestionRow, because: &str) -> Result<(), OpError> {
    cx.conn
        .prepare_cached("UPDATE questions SET expired_because = ?2 WHERE id = ?1")?
        .execute(params![row.id.number(), because])?;
    Ok(())
}
