//! `daemon_state`: what the daemon notes of itself, by key.

use agent_worker_protocol::Timestamp;

use crate::{
    error::Result,
    rows::{Db, Table, statements},
};

statements! {
    /// The database's epoch: new only when it is created or restored.
    pub fn epoch() -> one String = "SELECT value FROM daemon_state WHERE key = 'epoch'";

    /// Gives a database that has no epoch this one.
    pub fn ensure_epoch(epoch: &str) -> change in DaemonState =
        "INSERT OR IGNORE INTO daemon_state (key, value) VALUES ('epoch', ?1)";

    /// Whether the daemon ends its runs to stop.
    pub fn is_stopping() -> exists =
        "SELECT 1 FROM daemon_state WHERE key = 'stopping' AND value = 'true'";

    /// Notes that a daemon has ended as it should.
    pub fn note_clean_stop() -> change in DaemonState =
        "UPDATE daemon_state SET value = 'true' WHERE key = 'clean_stop'";

    /// Notes a value under a key.
    pub fn note(key: &str, value: &str) -> change in DaemonState =
        "INSERT INTO daemon_state (key, value) VALUES (?1, ?2)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value";

    /// Whether the earlier daemon did not end as it should.
    pub fn has_crashed() -> exists =
        "SELECT 1 FROM daemon_state WHERE key = 'clean_stop' AND value = 'false'";

    /// The version of the database's schema.
    pub fn schema() -> one i64 = "PRAGMA user_version";
}

/// When the daemon started.
pub fn started_at(db: Db<'_>) -> Result<Option<Timestamp>> {
    time(db, "started_at")
}

/// Notes that a daemon has started, and not yet ended.
pub fn note_start(db: Db<'_>, now: Timestamp) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO daemon_state (key, value)
               VALUES ('started_at', ?1), ('clean_stop', 'false'), ('stopping', 'false')";
    db.change(Table::DaemonState, sql, (now.0.to_string(),)).map(drop)
}

/// Notes that the daemon ends its runs to stop.
pub fn note_stopping(db: Db<'_>) -> Result<()> {
    note(db, "stopping", "true")
}

/// When a daemon last noted that it was there.
pub fn alive_at(db: Db<'_>) -> Result<Option<Timestamp>> {
    time(db, "alive_at")
}

/// Notes that a daemon is there.
pub fn note_alive(db: Db<'_>, now: Timestamp) -> Result<()> {
    note(db, "alive_at", &now.0.to_string())
}

fn time(db: Db<'_>, key: &str) -> Result<Option<Timestamp>> {
    let sql = "SELECT value FROM daemon_state WHERE key = ?1";
    let found: Option<String> = db.maybe(sql, (key,))?;
    Ok(found.and_then(|at| at.parse().ok()).map(Timestamp))
}

/// The key of the newest message that has an entry in the search.
pub const ENTERED: &str = "entered";

/// The key of the newest entry whose words are in the index of the search.
pub const INDEXED: &str = "indexed";

/// The number that is noted under a key; 0 without any.
pub fn number(db: Db<'_>, key: &str) -> Result<i64> {
    let sql = "SELECT CAST(value AS INTEGER) FROM daemon_state WHERE key = ?1";
    Ok(db.maybe(sql, (key,))?.unwrap_or(0))
}

/// How large the database is.
pub fn database_bytes(db: Db<'_>) -> Result<i64> {
    let pages: i64 = db.one("PRAGMA page_count", ())?;
    Ok(pages * db.one::<i64>("PRAGMA page_size", ())?)
}
