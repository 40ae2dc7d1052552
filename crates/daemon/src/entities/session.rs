//! Sessions as clients see them.

use agent_worker_protocol::{
    session::{Session, SessionKind},
    time::Timestamp,
};
use rusqlite::Connection;

use crate::{
    error::OpError,
    rows::{agent::AgentRow, cost, session, word::Word},
    rules,
};

/// The session that an agent's next run would go on with, without what is said in it.
pub fn of_agent(
    conn: &Connection,
    agent: &AgentRow,
    generation: i64,
) -> Result<Option<Session>, OpError> {
    let Some(session) = session::main(conn, agent.id, rules::session::backend(agent), generation)?
    else {
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
            cost: cost.map(cost::dollars),
            created_at: Timestamp(row.get(1)?),
            updated_at: Timestamp(row.get(2)?),
        })
    })?;
    Ok(Some(session))
}
