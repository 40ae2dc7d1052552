//! `idempotency`: answers kept for repeats of their requests, by caller and key.

use agent_worker_protocol::time::Timestamp;

use super::{Db, Table, row, sql, table};
use crate::error::OpError;

row! {
    /// A request and what it was answered.
    pub struct StoredAnswer from "idempotency" {
        /// The request's SHA-256.
        request: [u8; 32],
        /// The answer as JSON.
        answer: String,
    }
}

table! {
    /// An answer that is kept under the key that its caller sent.
    pub struct NewAnswer<'a> into Idempotency {
        /// Who sent the key.
        principal: &'a str,
        /// The key.
        key: &'a str,
        /// The request's SHA-256.
        request: &'a [u8; 32],
        /// The answer as JSON.
        answer: &'a str,
        /// When the request was done.
        created_at: Timestamp,
    }
}

const BY_KEY: &str = sql!(StoredAnswer::SELECT, " WHERE principal = ?1 AND key = ?2");

/// The answer that a caller got to its request with this key.
pub fn find(db: Db<'_>, principal: &str, key: &str) -> Result<Option<StoredAnswer>, OpError> {
    db.maybe(BY_KEY, (principal, key))
}

/// Removes answers from before a time. Tells whether any was removed.
pub fn forget(db: Db<'_>, before: Timestamp, at_once: i64) -> Result<bool, OpError> {
    let sql = "DELETE FROM idempotency WHERE (principal, key) IN (
                   SELECT principal, key FROM idempotency WHERE created_at < ?1 LIMIT ?2)";
    Ok(db.change(Table::Idempotency, sql, (before, at_once))? > 0)
}
