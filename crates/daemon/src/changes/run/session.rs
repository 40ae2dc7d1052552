//! Sessions: which one a run goes on with, and the turns that are kept of it. What a turn says only
//! the worker knows. An agent program keeps its conversation itself: the one turn of its session is
//! the name by which the program finds it.

use agent_worker_protocol::{
    backend::Backend,
    id::MessageId,
    run::RunKind,
    schedule::RunContext,
    session::{ByHand, ProgramTurn, Session, SessionKind, SessionTurn, TurnRole},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, params};

use crate::{
    context::cx::Cx,
    error::OpError,
    rows::{
        agent::AgentRow, delivery::DeliveryRow, run::RunRow, schedule, word::Word,
        workflow::ScopeRow,
    },
    rules::budget,
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
    scope: &ScopeRow,
    kind: RunKind,
    cause: Option<&DeliveryRow>,
) -> Result<Option<i64>, OpError> {
    let backend = backend(agent);
    if kind == RunKind::External || !has_session(backend) {
        return Ok(None);
    }
    let wanted = session_kind(cx.conn, kind, cause)?;
    let known = match wanted {
        // A further attempt goes on with the session of the one before.
        SessionKind::Isolated => match cause.and_then(|row| row.run) {
            Some(earlier) => session_of(cx.conn, earlier)?,
            None => None,
        },
        _ => main(cx.conn, agent.id, backend, scope.generation)?,
    };
    match known {
        Some(session) => Ok(Some(session)),
        None => insert(cx, agent.id, backend, wanted).map(Some),
    }
}

pub fn backend(agent: &AgentRow) -> &str {
    agent.backend.as_deref().unwrap_or(Backend::Default.as_str())
}

pub fn has_session(backend: &str) -> bool {
    backend.parse().is_ok_and(Backend::has_session)
}

/// A run woken by hand belongs to no conversation, nor does a schedule without one.
pub fn session_kind(
    conn: &Connection,
    kind: RunKind,
    cause: Option<&DeliveryRow>,
) -> Result<SessionKind, OpError> {
    let context = match (kind, cause) {
        (RunKind::Heartbeat, _) => RunContext::Isolated,
        (RunKind::Scheduled, Some(row)) => {
            schedule::context_of(conn, row.agent, MessageId::new(row.seq))?
        }
        _ => RunContext::Main,
    };
    Ok(match context {
        RunContext::Main => SessionKind::Main,
        RunContext::Isolated => SessionKind::Isolated,
    })
}

pub fn session_of(conn: &Connection, run: i64) -> Result<Option<i64>, OpError> {
    let sql = "SELECT session FROM runs WHERE id = ?1";
    let found: Option<Option<i64>> =
        conn.prepare_cached(sql)?.query_row([run], |row| row.get(0)).optional()?;
    Ok(found.flatten())
}

/// The main session of an agent with this backend, if its newest run was of this generation.
pub fn main(
    conn: &Connection,
    agent: i64,
    backend: &str,
    generation: i64,
) -> Result<Option<i64>, OpError> {
    let newest = "SELECT id FROM sessions WHERE agent = ?1 AND kind = 'main' AND backend = ?2
                  ORDER BY id DESC LIMIT 1";
    let newest: Option<i64> = conn
        .prepare_cached(newest)?
        .query_row(params![agent, backend], |row| row.get(0))
        .optional()?;
    let Some(session) = newest else { return Ok(None) };
    let sql = "SELECT generation FROM runs WHERE agent = ?1 AND session = ?2
               ORDER BY id DESC LIMIT 1";
    let of: Option<i64> =
        conn.prepare_cached(sql)?.query_row([agent, session], |row| row.get(0)).optional()?;
    Ok(of.filter(|of| *of == generation).map(|_| session))
}

/// A new session. Nothing goes on with an earlier one of its kind any more, so its turns go; what
/// was said is in the transcripts.
pub fn insert(
    cx: &mut Cx<'_>,
    agent: i64,
    backend: &str,
    kind: SessionKind,
) -> Result<i64, OpError> {
    let sql = "DELETE FROM session_turns WHERE session IN (
                   SELECT id FROM sessions WHERE agent = ?1 AND kind = ?2 AND backend = ?3)";
    cx.conn.prepare_cached(sql)?.execute(params![agent, Word(kind), backend])?;
    let sql = "INSERT INTO sessions (agent, kind, backend, created_at, updated_at)
               VALUES (?1, ?2, ?3, ?4, ?4)";
    cx.conn.prepare_cached(sql)?.execute(params![agent, Word(kind), backend, cx.now.0])?;
    Ok(cx.conn.last_insert_rowid())
}

/// Has the next run of an agent begin a new session. Our own loop keeps a summary of the old one.
/// An agent whose backend has no sessions, or that has none yet, has nothing to begin anew.
pub fn begin_anew(cx: &mut Cx<'_>, agent: &AgentRow) -> Result<(), OpError> {
    let backend = backend(agent);
    if !has_session(backend) {
        let message = format!("`{}` has no session: its backend is `{backend}`", agent.target());
        return Err(OpError::invalid(message));
    }
    let sql = "UPDATE sessions SET anew = 1 WHERE id = (
                   SELECT max(id) FROM sessions
                   WHERE agent = ?1 AND kind = 'main' AND backend = ?2)";
    cx.conn.prepare_cached(sql)?.execute(params![agent.id, backend])?;
    Ok(())
}

/// How a person goes on with the session of a run's program.
pub fn by_hand(conn: &Connection, run: i64) -> Result<Option<ByHand>, OpError> {
    let Some(session) = session_of(conn, run)? else { return Ok(None) };
    let sql = "SELECT content FROM session_turns WHERE session = ?1 AND role = ?2
               ORDER BY n DESC LIMIT 1";
    let content: Option<String> = conn
        .prepare_cached(sql)?
        .query_row(params![session, Word(TurnRole::Program)], |row| row.get(0))
        .optional()?;
    let turn = content.and_then(|content| serde_json::from_str::<ProgramTurn>(&content).ok());
    Ok(turn.and_then(|turn| turn.by_hand))
}

/// Whether a run keeps only a summary of its session.
pub fn begins_anew(conn: &Connection, run: i64) -> Result<bool, OpError> {
    let sql = "SELECT 1 FROM runs AS r JOIN sessions AS s ON s.id = r.session
               WHERE r.id = ?1 AND s.anew = 1";
    Ok(conn.prepare_cached(sql)?.exists([run])?)
}

/// The turns of a run's session, oldest first; none if it has no session.
pub fn turns_of_run(conn: &Connection, run: i64) -> Result<Option<Vec<SessionTurn>>, OpError> {
    let Some(session) = session_of(conn, run)? else { return Ok(None) };
    let sql = "SELECT role, content, tokens FROM session_turns WHERE session = ?1 ORDER BY n";
    let mut statement = conn.prepare_cached(sql)?;
    let turns = statement.query_map([session], |row| {
        Ok(SessionTurn {
            role: row.get::<_, Word<TurnRole>>(0)?.0,
            content: row.get(1)?,
            tokens: row.get(2)?,
        })
    })?;
    Ok(Some(turns.collect::<Result<_, _>>()?))
}

/// Keeps what a run has added to its session.
pub fn store(cx: &mut Cx<'_>, run: &RunRow, writes: &[TurnsWrite]) -> Result<(), OpError> {
    if writes.is_empty() {
        return Ok(());
    }
    let Some(session) = session_of(cx.conn, run.id.number())? else { return Ok(()) };
    let next = "SELECT coalesce(max(n) + 1, 0) FROM session_turns WHERE session = ?1";
    let mut n: i64 = cx.conn.prepare_cached(next)?.query_row([session], |row| row.get(0))?;
    for write in writes {
        if write.instead {
            let sql = "DELETE FROM session_turns WHERE session = ?1";
            cx.conn.prepare_cached(sql)?.execute([session])?;
            let sql = "UPDATE sessions SET anew = 0 WHERE id = ?1";
            cx.conn.prepare_cached(sql)?.execute([session])?;
        }
        for turn in &write.turns {
            let sql =
                "INSERT INTO session_turns (session, n, run, role, content, tokens, created_at)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            cx.conn.prepare_cached(sql)?.execute(params![
                session,
                n,
                run.id.number(),
                Word(turn.role),
                turn.content,
                turn.tokens,
                cx.now.0
            ])?;
            n += 1;
        }
    }
    cx.conn
        .prepare_cached("UPDATE sessions SET updated_at = ?2 WHERE id = ?1")?
        .execute([session, cx.now.0])?;
    Ok(())
}

/// The session that an agent's next run would go on with, without what is said in it.
pub fn of_agent(
    conn: &Connection,
    agent: &AgentRow,
    generation: i64,
) -> Result<Option<Session>, OpError> {
    let Some(session) = main(conn, agent.id, backend(agent), generation)? else {
        return Ok(None);
    };
    let sql = "SELECT count(*), coalesce(sum(length(CAST(content AS BLOB))), 0),
                   (SELECT tokens FROM session_turns WHERE session = ?1 AND tokens IS NOT NULL
                    ORDER BY n DESC LIMIT 1)
               FROM session_turns WHERE session = ?1";
    let (turns, bytes, tokens) = conn
        .prepare_cached(sql)?
        .query_row([session], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let sql = "SELECT count(*), sum(cost) FROM runs WHERE agent = ?1 AND session = ?2";
    let (runs, cost): (_, Option<i64>) = conn
        .prepare_cached(sql)?
        .query_row([agent.id, session], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let sql = "SELECT kind, created_at, updated_at FROM sessions WHERE id = ?1";
    let session = conn.prepare_cached(sql)?.query_row([session], |row| {
        Ok(Session {
            kind: row.get::<_, Word<SessionKind>>(0)?.0,
            turns,
            bytes,
            tokens,
            runs,
            cost: cost.map(budget::dollars),
            created_at: Timestamp(row.get(1)?),
            updated_at: Timestamp(row.get(2)?),
        })
    })?;
    Ok(Some(session))
}
