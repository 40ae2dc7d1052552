//! Sessions: which one a run goes on with, and the turns that are kept of it. What a turn says only
//! the worker knows. An agent program keeps its conversation itself: the one turn of its session is
//! the name by which the program finds it.

use agent_worker_protocol::{
    Ask, MessageId, RunContext, RunKind, SessionId, SessionKind, SessionTurn,
};

use crate::{
    context::Cx,
    error::{OpError, Result},
    rows::{
        self, AgentRow, Db, DeliveryRow, NewSession, NewTurn, RunRow, ScheduleRow, WorkflowRow,
    },
    rules::session,
};

/// The longest title of a chat, in characters.
const TITLE: usize = 80;

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
) -> Result<Option<i64>> {
    let backend = session::backend(agent);
    if let Some(cause) = cause.filter(|cause| cause.is_question())
        && let Some(chat) = rows::session::chat_of(cx.db, agent.id, cause.seq)?
    {
        return Ok(Some(chat));
    }
    if kind == RunKind::External || !session::has_session(backend) {
        return Ok(None);
    }
    let wanted = session_kind(cx.db, kind, cause)?;
    let known = match wanted {
        // A further attempt goes on with the session of the one before.
        SessionKind::Isolated => {
            let earlier = cause.and_then(|row| row.run);
            earlier.map_or(Ok(None), |earlier| rows::session::session_of(cx.db, earlier))?
        }
        _ => rows::session::main(cx.db, agent.id, backend, scope.generation)?,
    };
    match known {
        Some(session) => Ok(Some(session)),
        None => insert(cx, agent.id, backend, wanted, None).map(Some),
    }
}

/// The kind of session that a run goes on with: none that lasts for a heartbeat, for a scheduled run
/// what its schedule says, for all others the main one.
fn session_kind(db: Db<'_>, kind: RunKind, cause: Option<&DeliveryRow>) -> Result<SessionKind> {
    let is_isolated = match (kind, cause) {
        (RunKind::Heartbeat, _) => true,
        (RunKind::Scheduled, Some(row)) => {
            let message = MessageId::new(row.seq);
            let sender = ScheduleRow::of_message(db, row.agent, message)?;
            sender.is_some_and(|sender| sender.context == RunContext::Isolated)
        }
        _ => false,
    };
    Ok(if is_isolated { SessionKind::Isolated } else { SessionKind::Main })
}

/// A new session. Nothing goes on with an earlier one of its kind any more, unless it is a chat, so
/// its turns go; what was said is in the transcripts.
pub fn insert(
    cx: &mut Cx<'_>,
    agent: i64,
    backend: &str,
    kind: SessionKind,
    title: Option<&str>,
) -> Result<i64> {
    let new = NewSession { agent, kind, backend, title, created_at: cx.now, updated_at: cx.now };
    rows::session::insert(cx.db, &new)
}

/// The chat that a question goes on with, begun if it asks for one; `None` for the main session.
pub fn chat(
    cx: &mut Cx<'_>,
    agent: &AgentRow,
    scope: &WorkflowRow,
    ask: &Ask,
) -> Result<Option<SessionId>> {
    let backend = session::backend(agent);
    match ask.session {
        Some(_) if ask.new => Err(OpError::invalid("only one of `session` and `new` is allowed")),
        Some(id) => goes_on(cx, agent, scope, id),
        None if ask.new => {
            let title: String = ask.message.trim().lines().next().unwrap_or_default().into();
            let title = title.chars().take(TITLE).collect::<String>();
            let new = insert(cx, agent.id, backend, SessionKind::Chat, Some(&title))?;
            Ok(Some(SessionId::new(new)))
        }
        None => Ok(None),
    }
}

/// Which chat a question goes on with that names a session of its agent.
fn goes_on(
    cx: &Cx<'_>,
    agent: &AgentRow,
    scope: &WorkflowRow,
    id: SessionId,
) -> Result<Option<SessionId>> {
    let (target, backend) = (agent.target(), session::backend(agent));
    let list = format!("agent-worker sessions list {target}");
    if rows::session::agent_of(cx.db, id)? != Some(agent.id) {
        return Err(OpError::not_found(format!("`{target}` has no session `{id}`")).hint(list));
    }
    let known = rows::session::by_id(cx.db, id)?;
    let main = rows::session::main(cx.db, agent.id, backend, scope.generation)?;
    match known.kind {
        _ if main == Some(id.number()) => Ok(None),
        SessionKind::Chat if known.backend == backend => Ok(Some(id)),
        SessionKind::Chat => {
            let text =
                format!("{id} is of backend {}, and `{target}` has {backend}", known.backend);
            Err(OpError::conflict(text).hint(format!("agent-worker ask {target} --new MESSAGE")))
        }
        SessionKind::Main | SessionKind::Isolated => {
            Err(OpError::conflict(format!("{id} has ended: no run goes on with it")).hint(list))
        }
    }
}

/// Has the next run of an agent begin a new session. Our own loop keeps a summary of the old one.
/// An agent whose backend has no sessions, or that has none yet, has nothing to begin anew.
pub fn begin_anew(cx: &mut Cx<'_>, agent: &AgentRow) -> Result<()> {
    let backend = session::backend(agent);
    if !session::has_session(backend) {
        let message = format!("`{}` has no session: its backend is `{backend}`", agent.target());
        return Err(OpError::invalid(message));
    }
    rows::session::mark_anew(cx.db, agent.id, backend)
}

/// Keeps what a run has added to its session.
pub fn store(cx: &mut Cx<'_>, run: &RunRow, writes: &[TurnsWrite]) -> Result<()> {
    if writes.is_empty() {
        return Ok(());
    }
    let Some(session) = rows::session::session_of(cx.db, run.id.number())? else { return Ok(()) };
    let mut n = rows::session::next_turn(cx.db, session)?;
    for write in writes {
        if write.instead {
            rows::session::clear(cx.db, session)?;
            rows::session::unmark_anew(cx.db, session, run.id)?;
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
