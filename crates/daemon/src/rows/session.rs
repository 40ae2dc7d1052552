//! `sessions` and their turns.

use agent_worker_protocol::session::{ByHand, ProgramTurn, SessionTurn, TurnRole};
use rusqlite::{Connection, OptionalExtension, params};

use crate::{error::OpError, rows::word::Word};

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
