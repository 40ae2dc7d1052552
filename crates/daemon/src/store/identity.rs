//! Which file a database is, so that a copy is known for a copy: what runs elsewhere is not its
//! own.

use std::{fs, os::unix::fs::MetadataExt, path::Path, time::UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension};

/// Notes which file the database is. A copied database gets a new epoch.
///
/// Nothing else may have it open.
pub fn settle(conn: &Connection, path: &Path) -> Result<(), rusqlite::Error> {
    let Some(here) = identity(path) else { return Ok(()) };
    match noted(conn)? {
        None => note(conn, &here),
        Some(noted) if noted == here => Ok(()),
        Some(_) => part(conn, &here),
    }
}

/// Whether the database was copied here from another file, and has not been opened since.
pub fn is_copy(conn: &Connection, path: &Path) -> Result<bool, rusqlite::Error> {
    let Some(here) = identity(path) else { return Ok(false) };
    Ok(noted(conn)?.is_some_and(|noted| noted != here))
}

/// Begins a new epoch. The write-ahead log that was copied too names the old one, so until its
/// frames are in the file both are known.
pub fn part(conn: &Connection, here: &str) -> Result<(), rusqlite::Error> {
    let tx = conn.unchecked_transaction()?;
    let sql = "INSERT OR REPLACE INTO daemon_state (key, value)
               SELECT 'former_epoch', value FROM daemon_state WHERE key = 'epoch'";
    tx.execute(sql, [])?;
    begin_epoch(&tx, &uuid::Uuid::new_v4().simple().to_string())?;
    note(&tx, here)?;
    tx.commit()?;
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    conn.execute("DELETE FROM daemon_state WHERE key = 'former_epoch'", []).map(drop)
}

/// Makes a copy of a database independent of the original: readers of the feed begin anew, the
/// tokens of the original's runs are unknown, its browsers are logged out, and its processes are
/// not looked for.
pub fn begin_epoch(conn: &Connection, epoch: &str) -> Result<(), rusqlite::Error> {
    let sql = "INSERT OR REPLACE INTO daemon_state (key, value) VALUES ('epoch', ?1)";
    conn.execute(sql, [epoch])?;
    conn.execute("DELETE FROM daemon_state WHERE key = 'file'", [])?;
    let sql = "UPDATE runs SET pid = NULL, pid_started = NULL
               WHERE state IN ('starting', 'running', 'ending')";
    conn.execute(sql, [])?;
    conn.execute("DELETE FROM member_tokens", [])?;
    // A backup may be of a schema without browsers.
    if conn.table_exists(None, "browsers")? {
        conn.execute("DELETE FROM browsers", [])?;
    }
    let sql = "UPDATE runs SET token_hash = randomblob(32) WHERE token_hash IS NOT NULL";
    conn.execute(sql, []).map(drop)
}

pub fn note(conn: &Connection, here: &str) -> Result<(), rusqlite::Error> {
    let sql = "INSERT OR REPLACE INTO daemon_state (key, value) VALUES ('file', ?1)";
    conn.execute(sql, [here]).map(drop)
}

pub fn noted(conn: &Connection) -> Result<Option<String>, rusqlite::Error> {
    let sql = "SELECT value FROM daemon_state WHERE key = 'file'";
    conn.query_row(sql, [], |row| row.get(0)).optional()
}

/// Device, inode and birth of a file: a move within a file system keeps them, a copy does not.
pub fn identity(path: &Path) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    let born = metadata.created().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let born = born.map_or(0, |at| at.as_nanos());
    Some(format!("{}:{}:{born}", metadata.dev(), metadata.ino()))
}
