//! `sessions` and `session_turns`: conversations with models, kept between runs.

use agent_worker_protocol::{
    id::RunId,
    session::{ByHand, ProgramTurn, SessionKind, SessionTurn, TurnRole},
    time::Timestamp,
};

use super::{Db, Table, row, sql, table};
use crate::error::OpError;

row! {
    /// A session.
    pub struct SessionRow from "sessions" {
        kind: SessionKind,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

row! {
    /// A turn of a session.
    pub struct TurnRow from "session_turns" {
        role: TurnRole,
        content: String,
        tokens: Option<i64>,
    }
}

table! {
    /// A session that begins.
    pub struct NewSession<'a> into Sessions {
        agent: i64,
        kind: SessionKind,
        backend: &'a str,
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

/// The size of a session: its turns, their bytes, and the tokens of its newest counted turn.
pub type Size = (i64, i64, Option<i64>);

const BY_ID: &str = sql!(SessionRow::SELECT, " WHERE id = ?1");
const TURNS: &str = sql!(TurnRow::SELECT, " WHERE session = ?1 ORDER BY n");

/// The session of a run, if it has one.
pub fn session_of(db: Db<'_>, run: i64) -> Result<Option<i64>, OpError> {
    let found: Option<Option<i64>> = db.maybe("SELECT session FROM runs WHERE id = ?1", (run,))?;
    Ok(found.flatten())
}

/// The main session of an agent with this backend, if its newest run is of this generation.
pub fn main(
    db: Db<'_>,
    agent: i64,
    backend: &str,
    generation: i64,
) -> Result<Option<i64>, OpError> {
    let newest = "SELECT id FROM sessions WHERE agent = ?1 AND kind = 'main' AND backend = ?2
                  ORDER BY id DESC LIMIT 1";
    let Some(session) = db.maybe::<i64>(newest, (agent, backend))? else { return Ok(None) };
    let sql = "SELECT generation FROM runs WHERE agent = ?1 AND session = ?2
               ORDER BY id DESC LIMIT 1";
    let of = db.maybe::<i64>(sql, (agent, session))?;
    Ok(of.filter(|of| *of == generation).map(|_| session))
}

/// A session.
pub fn by_id(db: Db<'_>, session: i64) -> Result<SessionRow, OpError> {
    db.one(BY_ID, (session,))
}

/// How large a session is.
pub fn size(db: Db<'_>, session: i64) -> Result<Size, OpError> {
    let sql = "SELECT count(*), coalesce(sum(length(CAST(content AS BLOB))), 0),
                   (SELECT tokens FROM session_turns WHERE session = ?1 AND tokens IS NOT NULL
                    ORDER BY n DESC LIMIT 1)
               FROM session_turns WHERE session = ?1";
    db.one(sql, (session,))
}

/// How many runs of an agent a session had, and what they cost in millionths of a dollar.
pub fn runs(db: Db<'_>, agent: i64, session: i64) -> Result<(i64, Option<i64>), OpError> {
    let sql = "SELECT count(*), sum(cost) FROM runs WHERE agent = ?1 AND session = ?2";
    db.one(sql, (agent, session))
}

/// How the user goes on with the session of a run's program.
pub fn by_hand(db: Db<'_>, run: i64) -> Result<Option<ByHand>, OpError> {
    let Some(session) = session_of(db, run)? else { return Ok(None) };
    let sql = "SELECT content FROM session_turns WHERE session = ?1 AND role = ?2
               ORDER BY n DESC LIMIT 1";
    let content: Option<String> = db.maybe(sql, (session, TurnRole::Program))?;
    let turn = content.and_then(|content| serde_json::from_str::<ProgramTurn>(&content).ok());
    Ok(turn.and_then(|turn| turn.by_hand))
}

/// Whether a run keeps only a summary of its session.
pub fn begins_anew(db: Db<'_>, run: i64) -> Result<bool, OpError> {
    let sql = "SELECT 1 FROM runs AS r JOIN sessions AS s ON s.id = r.session
               WHERE r.id = ?1 AND s.anew = 1";
    db.exists(sql, (run,))
}

/// The turns of a run's session, oldest first; `None` if it has no session.
pub fn turns_of_run(db: Db<'_>, run: i64) -> Result<Option<Vec<SessionTurn>>, OpError> {
    let Some(session) = session_of(db, run)? else { return Ok(None) };
    let turn = |TurnRow { role, content, tokens }| SessionTurn { role, content, tokens };
    Ok(Some(db.all(TURNS, (session,))?.into_iter().map(turn).collect()))
}

/// Begins a session. Those of its kind before it lose their turns.
pub fn insert(db: Db<'_>, new: &NewSession<'_>) -> Result<i64, OpError> {
    let sql = "DELETE FROM session_turns WHERE session IN (
                   SELECT id FROM sessions WHERE agent = ?1 AND kind = ?2 AND backend = ?3)";
    db.change(Table::SessionTurns, sql, (new.agent, new.kind, new.backend))?;
    db.insert(new)
}

/// Marks the main session of an agent, so that its next run begins anew.
pub fn mark_anew(db: Db<'_>, agent: i64, backend: &str) -> Result<(), OpError> {
    let sql = "UPDATE sessions SET anew = 1 WHERE id = (
                   SELECT max(id) FROM sessions
                   WHERE agent = ?1 AND kind = 'main' AND backend = ?2)";
    db.change(Table::Sessions, sql, (agent, backend)).map(drop)
}

/// The place of the next turn of a session.
pub fn next_turn(db: Db<'_>, session: i64) -> Result<i64, OpError> {
    db.one("SELECT coalesce(max(n) + 1, 0) FROM session_turns WHERE session = ?1", (session,))
}

/// Removes all turns of a session, which then goes on from what follows.
pub fn clear(db: Db<'_>, session: i64) -> Result<(), OpError> {
    let turns = "DELETE FROM session_turns WHERE session = ?1";
    db.change(Table::SessionTurns, turns, (session,))?;
    let anew = "UPDATE sessions SET anew = 0 WHERE id = ?1";
    db.change(Table::Sessions, anew, (session,)).map(drop)
}

/// Adds a turn.
pub fn add(db: Db<'_>, turn: &NewTurn<'_>) -> Result<(), OpError> {
    db.insert(turn).map(drop)
}

/// Notes when a session was last added to.
pub fn touch(db: Db<'_>, session: i64, now: Timestamp) -> Result<(), OpError> {
    let sql = "UPDATE sessions SET updated_at = ?2 WHERE id = ?1";
    db.change(Table::Sessions, sql, (session, now)).map(drop)
}
