//! `idempotency`: answers kept for repeats of their requests, by caller and key.

use agent_worker_protocol::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::OpError;

/// A request and what it was answered.
pub struct StoredAnswer {
    /// The request's SHA-256
    pub request: [u8; 32],
    /// The answer, as JSON
    pub answer: String,
}

/// The answer that a caller got to its request with this key.
pub fn find(
    conn: &Connection,
    principal: &str,
    key: &str,
) -> Result<Option<StoredAnswer>, OpError> {
    let sql = "SELECT request, answer FROM idempotency WHERE principal = ?1 AND key = ?2";
    let found = conn
        .prepare_cached(sql)?
        .query_row(params![principal, key], |row| {
            Ok(StoredAnswer { request: row.get(0)?, answer: row.get(1)? })
        })
        .optional()?;
    Ok(found)
}

/// Keeps an answer under the key that its caller sent.
pub fn insert(
    conn: &Connection,
    now: Timestamp,
    principal: &str,
    key: &str,
    stored: &StoredAnswer,
) -> Result<(), OpError> {
    let sql = "INSERT INTO idempotency (principal, key, request, answer, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5)";
    let values = params![principal, key, stored.request, stored.answer, now.0];
    conn.prepare_cached(sql)?.execute(values)?;
    Ok(())
}
