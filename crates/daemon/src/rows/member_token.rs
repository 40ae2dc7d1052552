//! `member_tokens`: tokens of external members, as hashes.

use super::{Db, agent::AgentRow};
use crate::error::OpError;

/// Whose token has this hash; `None` if no member's, or the member is gone.
pub fn holder(db: Db<'_>, hash: &[u8; 32]) -> Result<Option<AgentRow>, OpError> {
    let sql = "SELECT t.agent FROM member_tokens AS t JOIN agents AS a ON a.id = t.agent
               WHERE t.hash = ?1 AND a.removed_at IS NULL";
    let agent: Option<i64> = db.maybe(sql, (hash,))?;
    agent.map(|agent| AgentRow::by_id(db, agent)).transpose()
}
