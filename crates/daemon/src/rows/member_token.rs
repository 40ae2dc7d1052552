//! `member_tokens`: tokens of external members, as hashes.

use rusqlite::{Connection, OptionalExtension};

use crate::{error::OpError, rows::agent::AgentRow};

/// Whose token has this hash; `None` if no member's, or the member is gone.
pub fn holder(conn: &Connection, hash: &[u8; 32]) -> Result<Option<AgentRow>, OpError> {
    let sql = "SELECT t.agent FROM member_tokens AS t JOIN agents AS a ON a.id = t.agent
               WHERE t.hash = ?1 AND a.removed_at IS NULL";
    let agent: Option<i64> =
        conn.prepare_cached(sql)?.query_row([hash], |row| row.get(0)).optional()?;
    agent.map(|agent| AgentRow::by_id(conn, agent)).transpose()
}
