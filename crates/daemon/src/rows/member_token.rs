//! `member_tokens`: tokens of external members, as hashes.

use agent_worker_protocol::Timestamp;

use crate::{
    error::Result,
    rows::{AgentRow, Db, Table, statements},
};

/// Whose token has this hash; `None` if no member's, or if the member is gone or is not external:
/// its workflow file may have given it another backend since.
pub fn holder(db: Db<'_>, hash: &[u8; 32]) -> Result<Option<AgentRow>> {
    let sql = "SELECT t.agent FROM member_tokens AS t JOIN agents AS a ON a.id = t.agent
               WHERE t.hash = ?1 AND a.removed_at IS NULL AND a.kind = 'external'";
    let agent: Option<i64> = db.maybe(sql, (hash,))?;
    agent.map(|agent| AgentRow::by_id(db, agent)).transpose()
}

statements! {
    /// Gives a member the token of this hash, in place of the one it had.
    pub fn set(agent: i64, hash: &[u8; 32], at: Timestamp) -> change in MemberTokens =
        "INSERT OR REPLACE INTO member_tokens (agent, hash, created_at) VALUES (?1, ?2, ?3)";

    /// Gives the tokens of a scope's members to the external members of the same names in another.
    pub fn hand_over(from: i64, to: i64) -> change in MemberTokens =
        "UPDATE member_tokens SET agent = n.id
            FROM agents AS o JOIN agents AS n ON n.name = o.name
            WHERE o.id = member_tokens.agent AND o.scope = ?1 AND o.removed_at IS NULL
                AND n.scope = ?2 AND n.removed_at IS NULL AND n.kind = 'external'";
}

/// Takes a member's token away, if it has one.
pub fn remove(db: Db<'_>, agent: i64) -> Result<usize> {
    db.change(Table::MemberTokens, "DELETE FROM member_tokens WHERE agent = ?1", (agent,))
}
