//! `browsers`: those that were let into the web chat, by the hash of their token.

use agent_worker_protocol::Timestamp;

use crate::{
    error::Result,
    rows::{Db, Table, daemon_state, statements, table},
};

table! {
    /// A browser that is let in.
    pub struct NewBrowser<'a> into Browsers {
        hash: &'a [u8; 32],
        created_at: Timestamp,
    }
}

statements! {
    /// Whether a browser was let in with the token of this hash.
    pub fn is_known(hash: &[u8; 32]) -> exists = "SELECT 1 FROM browsers WHERE hash = ?1";

    /// Shuts out those that were let in before a time. Tells whether there was any.
    pub fn forget(before: Timestamp) -> changed in Browsers =
        "DELETE FROM browsers WHERE created_at < ?1";
}

/// Shuts all browsers out, and tells how many there were.
pub fn remove_all(db: Db<'_>) -> Result<usize> {
    db.change(Table::Browsers, "DELETE FROM browsers", ())
}

/// How many times all browsers were shut out.
pub fn shut_outs(db: Db<'_>) -> Result<i64> {
    daemon_state::number(db, "shut_outs")
}

/// Notes that all browsers are shut out.
pub fn note_shut_out(db: Db<'_>) -> Result<()> {
    daemon_state::note(db, "shut_outs", &(shut_outs(db)? + 1).to_string())
}
