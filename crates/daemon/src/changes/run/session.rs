//! Sessions: which one a run goes on with, and the turns that are kept of it. What a turn says only
//! the worker knows. An agent program keeps its conversation itself: the one turn of its session is
//! the name by which the program finds it.

use agent_worker_protocol::{
    id::MessageId,
    run::RunKind,
    schedule::RunContext,
    session::{SessionKind, SessionTurn},
};

use crate::{
    context::cx::Cx,
    error::OpError,
    rows::{
        self, Db,
        agent::AgentRow,
        delivery::DeliveryRow,
        run::RunRow,
        schedule,
        session::{NewSession, NewTurn},
        workflow::WorkflowRow,
    },
    rules::session,
};

/// Turns that belong together: none of them is kept without the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnsWrite {
    /// Whether they take the place of all that was there
    pub instead: bool,
    pub turns: Vec<SessionTurn>,
}

/// The session that a run continues, created if it is missing; `None` if the backend has no
/// sessions. A fresh generation starts a new one.
pub fn of_run(
    cx: &mut Cx<'_>,
    agent: &AgentRow,
    scope: &WorkflowRow,
    kind: RunKind,
    cause: Option<&DeliveryRow>,
) -> Result<Option<i64>, OpError> {
    let backend = session::backend(agent);
    if kind == RunKind::External || !session::has_session(backend) {
        return Ok(None);
    }
    let wanted = session_kind(cx.db, kind, cause)?;
    let known = match wanted {
        // A further attempt goes on with the session of the one before.
        SessionKind::Isolated => match cause.and_then(|row| row.run) {
            Some(earlier) => rows::session::session_of(cx.db, earlier)?,
            None => None,
        },
        _ => rows::session::main(cx.db, agent.id, backend, scope.generation)?,
    };
    match known {
        Some(session) => Ok(Some(session)),
        None => insert(cx, agent.id, backend, wanted).map(Some),
    }
}

/// A run woken by hand belongs to no conversation, nor does a schedule without one.
pub fn session_kind(
    db: Db<'_>,
    kind: RunKind,
    cause: Option<&DeliveryRow>,
) -> Result<SessionKind, OpError> {
    let context = match (kind, cause) {
        (RunKind::Heartbeat, _) => RunContext::Isolated,
        (RunKind::Scheduled, Some(row)) => {
            schedule::context_of(db, row.agent, MessageId::new(row.seq))?
        }
        _ => RunContext::Main,
    };
    Ok(match context {
        RunContext::Main => SessionKind::Main,
        RunContext::Isolated => SessionKind::Isolated,
    })
}

/// A new session. Nothing goes on with an earlier one of its kind any more, so its turns go; what
/// was said is in the transcripts.
pub fn insert(
    cx: &mut Cx<'_>,
    agent: i64,
    backend: &str,
    kind: SessionKind,
) -> Result<i64, OpError> {
    let new = NewSession { agent, kind, backend, created_at: cx.now, updated_at: cx.now };
    rows::session::insert(cx.db, &new)
}

/// Has the next run of an agent begin a new session. Our own loop keeps a summary of the old one.
/// An agent whose backend has no sessions, or that has none yet, has nothing to begin anew.
pub fn begin_anew(cx: &mut Cx<'_>, agent: &AgentRow) -> Result<(), OpError> {
    let backend = session::backend(agent);
    if !session::has_session(backend) {
        let message = format!("`{}` has no session: its backend is `{backend}`", agent.target());
        return Err(OpError::invalid(message));
    }
    rows::session::mark_anew(cx.db, agent.id, backend)
}

/// Keeps what a run has added to its session.
pub fn store(cx: &mut Cx<'_>, run: &RunRow, writes: &[TurnsWrite]) -> Result<(), OpError> {
    if writes.is_empty() {
        return Ok(());
    }
    let Some(session) = rows::session::session_of(cx.db, run.id.number())? else { return Ok(()) };
    let mut n = rows::session::next_turn(cx.db, session)?;
    for write in writes {
        if write.instead {
            rows::session::clear(cx.db, session)?;
        }
        for turn in &write.turns {
            let turn = NewTurn {
                session,
                n,
                run: run.id,
                role: turn.role,
                content: &turn.content,
                tokens: turn.tokens,
                created_at: cx.now,
            };
            rows::session::add(cx.db, &turn)?;
            n += 1;
        }
    }
    rows::session::touch(cx.db, session, cx.now)
}
