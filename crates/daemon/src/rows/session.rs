//! `sessions` and `session_turns`: conversations with models, kept between runs.

use std::path::Path;

use agent_worker_protocol::{
    ByHand, Exchange, MessageId, ProgramTurn, RunId, Session, SessionId, SessionKind, SessionTurn,
    Timestamp, TurnRole,
};

use super::{Db, Table, row, sql, statements, table};
use crate::error::{OpError, Result};

row! {
    /// Sessions, without what is said in them. What they cost is not in it.
    pub const SELECT: Session from "sessions AS s JOIN agents AS a ON a.id = s.agent
        JOIN workflows AS w ON w.id = a.scope"
    {
        id = "s.id",
        agent = "a.name || '@' || w.name || ':' || w.tag",
        kind = "s.kind",
        title = "s.title",
        backend = "s.backend",
        turns = "(SELECT count(*) FROM session_turns WHERE session = s.id)",
        bytes = "(SELECT coalesce(sum(octet_length(content)), 0)
                  FROM session_turns WHERE session = s.id)",
        tokens = "(SELECT tokens FROM session_turns WHERE session = s.id AND tokens IS NOT NULL
                   ORDER BY n DESC LIMIT 1)",
        runs = "(SELECT count(*) FROM runs WHERE session = s.id)",
        cost = "(SELECT sum(cost) / 1e6 FROM runs WHERE session = s.id)",
        created_at = "s.created_at",
        updated_at = "s.updated_at",
    }
}

row! {
    /// Runs with what they were asked and answered. Hidden messages are there only if wanted.
    pub const EXCHANGES: Exchange from "runs AS r
        LEFT JOIN messages AS m ON m.seq = r.cause AND (?4 OR m.hidden = 0)"
    {
        run = "r.id",
        kind = "r.kind",
        state = "r.state",
        message = "m.seq",
        sender = "m.sender",
        asked = "m.content",
        answer = "r.result",
        started_at = "r.started_at",
    }
}

row! {
    const TURN: SessionTurn from "session_turns" { role, content, tokens }
}

table! {
    /// A session that begins.
    pub struct NewSession<'a> into Sessions {
        agent: i64,
        kind: SessionKind,
        backend: &'a str,
        title: Option<&'a str>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

table! {
    /// A turn that is added to a session.
    pub struct NewTurn<'a> into SessionTurns {
        session: i64,
        n: i64,
        run: RunId,
        role: TurnRole,
        content: &'a str,
        tokens: Option<i64>,
        created_at: Timestamp,
    }
}

table! {
    /// A question that belongs to a chat.
    pub struct NewChatMessage into ChatMessages {
        message: i64,
        session: SessionId,
    }
}

const BY_ID: &str = sql!(SELECT, " WHERE s.id = ?1");
const PAGE: &str = " AND s.id < ?2 ORDER BY s.id DESC LIMIT ?3";
const OF_AGENT: &str = sql!(SELECT, " WHERE s.agent = ?1", PAGE);
const KEPT: &str = sql!(SELECT, " WHERE s.agent = ?1 AND s.kind <> 'isolated'", PAGE);

/// The session of a run, if it has one.
pub fn session_of(db: Db<'_>, run: i64) -> Result<Option<i64>> {
    db.maybe("SELECT session FROM runs WHERE id = ?1", (run,)).map(Option::flatten)
}

/// The newest main session of an agent with a backend, and the generation of its newest run. The
/// index has no isolated sessions: each heartbeat leaves one.
pub const MAIN: &str = "SELECT s.id, (SELECT r.generation FROM runs AS r
        WHERE r.agent = ?1 AND r.session = s.id ORDER BY r.id DESC LIMIT 1)
    FROM sessions AS s INDEXED BY sessions_kept
    WHERE s.agent = ?1 AND s.kind <> 'isolated' AND s.kind = 'main' AND s.backend = ?2
    ORDER BY s.id DESC LIMIT 1";

/// The main session of an agent with this backend, if its newest run is of this generation.
pub fn main(db: Db<'_>, agent: i64, backend: &str, generation: i64) -> Result<Option<i64>> {
    let newest: Option<(i64, Option<i64>)> = db.maybe(MAIN, (agent, backend))?;
    Ok(newest.filter(|(_, of)| *of == Some(generation)).map(|(session, _)| session))
}

/// The session of a number.
pub fn by_id(db: Db<'_>, session: SessionId) -> Result<Session> {
    db.maybe(BY_ID, (session,))?.ok_or_else(|| missing(session))
}

/// Refusal of a session that does not exist, or that the caller may not read. Which agent was meant
/// is unknown, so the hint lists the agents.
pub fn missing(session: SessionId) -> OpError {
    OpError::not_found(format!("session `{session}` not found")).hint("agent-worker list")
}

/// The newest sessions of an agent before a number, newest first; those of single pieces of work
/// only if `all`.
pub fn of_agent(
    db: Db<'_>,
    agent: i64,
    all: bool,
    before: i64,
    limit: u32,
) -> Result<Vec<Session>> {
    db.all(if all { OF_AGENT } else { KEPT }, (agent, before, limit))
}

/// How the user goes on with a session of a program.
pub fn by_hand(db: Db<'_>, session: i64) -> Result<Option<ByHand>> {
    let sql = "SELECT content FROM session_turns WHERE session = ?1 AND role = ?2
               ORDER BY n DESC LIMIT 1";
    let content: Option<String> = db.maybe(sql, (session, TurnRole::Program))?;
    let turn = content.and_then(|content| serde_json::from_str::<ProgramTurn>(&content).ok());
    let by_hand = turn.and_then(|turn| turn.by_hand);
    // A folder that its variables name goes with the agent; the address of a server stays.
    let is_folder = |value: &String| Path::new(value).is_absolute();
    let sql = "SELECT 1 FROM sessions AS s JOIN agents AS a ON a.id = s.agent
               WHERE s.id = ?1 AND a.removed_at IS NOT NULL";
    match by_hand {
        Some(by_hand) if by_hand.env.values().any(is_folder) && db.exists(sql, (session,))? => {
            Ok(None)
        }
        by_hand => Ok(by_hand),
    }
}

statements! {
    /// The agent of a session.
    pub fn agent_of(session: SessionId) -> maybe i64 = "SELECT agent FROM sessions WHERE id = ?1";

    /// The newest runs of a session before a number, newest first.
    pub fn exchanges(session: SessionId, before: i64, limit: u32, hidden: bool) -> all Exchange =
        EXCHANGES, " WHERE r.session = ?1 AND r.id < ?2 ORDER BY r.id DESC LIMIT ?3";

    /// The chat that a message belongs to, if it is one of this agent.
    pub fn chat_of(agent: i64, message: i64) -> maybe i64 =
        "SELECT s.id FROM chat_messages AS c JOIN sessions AS s ON s.id = c.session
            WHERE s.agent = ?1 AND c.message = ?2";

    /// Whether the question that a chat has its title from is hidden.
    pub fn has_hidden_title(session: SessionId) -> exists =
        "SELECT 1 FROM messages WHERE hidden = 1
            AND seq = (SELECT min(message) FROM chat_messages WHERE session = ?1)";

    /// Whether the next run of a session keeps only a summary of it.
    pub fn begins_anew(session: i64) -> exists =
        "SELECT 1 FROM sessions WHERE id = ?1 AND anew > 0";

    /// The turns of a session, oldest first.
    pub fn turns(session: i64) -> all SessionTurn = TURN, " WHERE session = ?1 ORDER BY n";

    /// Marks the main session of an agent, so that its next run begins anew. The mark is the number
    /// of the first run that may be that one; 1 before schema 15.
    pub fn mark_anew(agent: i64, backend: &str) -> change in Sessions =
        "UPDATE sessions SET anew = 1 + (SELECT coalesce(max(id), 0) FROM runs) WHERE id = (
            SELECT max(id) FROM sessions
            WHERE agent = ?1 AND kind = 'main' AND backend = ?2)";

    /// Marks the sessions in which a message was given to runs, in the same way.
    pub fn mark_anew_after(root: i64, message: MessageId) -> change in Sessions =
        "UPDATE sessions SET anew = 1 + (SELECT coalesce(max(id), 0) FROM runs) WHERE id IN (
            SELECT r.session FROM run_roots AS had INDEXED BY run_roots_by_root
            JOIN runs AS r ON r.id = had.run WHERE had.root = ?1 AND had.seq = ?2)";

    /// Notes that a session has begun anew in a run, and goes on from there. A run that was there
    /// when that was asked for takes nothing back.
    pub fn unmark_anew(session: i64, run: RunId) -> change in Sessions =
        "UPDATE sessions SET anew = 0 WHERE id = ?1 AND anew <= ?2";

    /// The place of the next turn of a session.
    pub fn next_turn(session: i64) -> one i64 =
        "SELECT coalesce(max(n) + 1, 0) FROM session_turns WHERE session = ?1";

    /// Removes all turns of a session.
    pub fn clear(session: i64) -> change in SessionTurns =
        "DELETE FROM session_turns WHERE session = ?1";

    /// Notes when a session was last added to.
    pub fn touch(session: i64, now: Timestamp) -> change in Sessions =
        "UPDATE sessions SET updated_at = ?2 WHERE id = ?1";
}

macro_rules! ended {
    ($begin:literal) => {
        sql!(
            $begin,
            " IN (
                SELECT s.id FROM sessions AS s INDEXED BY sessions_with_turns
                WHERE s.agent = ?1 AND s.kind = ?2 AND s.backend = ?3 AND s.has_turns = 1
                EXCEPT
                SELECT r.session FROM deliveries AS d INDEXED BY deliveries_open
                    JOIN runs AS r ON r.id = d.run
                WHERE d.agent = ?1 AND d.state IN ('pending', 'waiting'))"
        )
    };
}

/// Removes the turns of an agent's sessions of a kind and a backend that no further attempt goes on
/// with. Sessions stay without their turns, one for each isolated run, so the few that have turns
/// are found by an index.
pub const REMOVE_TURNS: &str = ended!("DELETE FROM session_turns WHERE session");

/// Notes of the same sessions that they have no turns.
pub const NOTE_REMOVED: &str = ended!("UPDATE sessions SET has_turns = 0 WHERE id");

/// Begins a session. Those of its kind before it lose their turns, unless they are chats, or a
/// further attempt goes on with them.
pub fn insert(db: Db<'_>, new: &NewSession<'_>) -> Result<i64> {
    if new.kind == SessionKind::Chat {
        return db.insert(new);
    }
    db.change(Table::SessionTurns, REMOVE_TURNS, (new.agent, new.kind, new.backend))?;
    db.change(Table::Sessions, NOTE_REMOVED, (new.agent, new.kind, new.backend))?;
    db.insert(new)
}

/// Adds a turn.
pub fn add(db: Db<'_>, turn: &NewTurn<'_>) -> Result<()> {
    db.insert(turn)?;
    let sql = "UPDATE sessions SET has_turns = 1 WHERE id = ?1 AND has_turns = 0";
    db.change(Table::Sessions, sql, (turn.session,)).map(drop)
}
