//! `member_tokens`: tokens of external members, as hashes.

use agent_worker_protocol::time::Timestamp;

use crate::{
    error::OpError,
    rows::{Db, Table, agent::AgentRow},
};

/// Whose token has this hash; `None` if no member's, or the member is gone.
pub fn holder(db: Db<'_>, hash: &[u8; 32]) -> Result<Option<AgentRow>, OpError> {
    let sql = "SELECT t.agent FROM member_tokens AS t JOIN agents AS a ON a.id = t.agent
               WHERE t.hash = ?1 AND a.removed_at IS NULL";
    let agent: Option<i64> = db.maybe(sql, (hash,))?;
    agent.map(|agent| AgentRow::by_id(db, agent)).transpose()
}

/// Gives a member the token of this hash, in place of the one it had.
pub fn set(db: Db<'_>, agent: i64, hash: &[u8; 32], at: Timestamp) -> Result<usize, OpError> {
    let sql = "INSERT OR REPLACE INTO member_tokens (agent, hash, created_at) VALUES (?1, ?2, ?3)";
    db.change(Table::MemberTokens, sql, (agent, hash, at))
}

/// Takes a member's token away, if it has one.
pub fn remove(db: Db<'_>, agent: i64) -> Result<usize, OpError> {
    db.change(Table::MemberTokens, "DELETE FROM member_tokens WHERE agent = ?1", (agent,))
}
