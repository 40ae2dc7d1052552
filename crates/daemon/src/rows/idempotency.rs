//! `idempotency`: answers kept for repeats of their requests, by caller and key.

use agent_worker_protocol::Timestamp;

use super::{row, statements, table};

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

statements! {
    /// The answer that a caller got to its request with this key.
    pub fn find(principal: &str, key: &str) -> maybe StoredAnswer =
        StoredAnswer::SELECT, " WHERE principal = ?1 AND key = ?2";

    /// Removes answers from before a time. Tells whether any was removed.
    pub fn forget(before: Timestamp, at_once: i64) -> changed in Idempotency =
        "DELETE FROM idempotency WHERE (principal, key) IN (
            SELECT principal, key FROM idempotency WHERE created_at < ?1 LIMIT ?2)";
}
