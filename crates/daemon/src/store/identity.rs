//! Which file a database is, so that a copy is known for a copy: what runs elsewhere is not its
//! own.

use std::{fs, os::unix::fs::MetadataExt, path::Path, time::UNIX_EPOCH};

use rusqlite::Connection;

use crate::store::found::told;

/// Notes which file the database is. A copied database gets a new epoch.
///
/// Nothing else may have it open.
pub fn settle(conn: &Connection, path: &Path) -> Result<(), rusqlite::Error> {
    let Some(here) = identity(path) else { return Ok(()) };
    match told(conn, "file")? {
        Some(noted) if noted == here => Ok(()),
        Some(noted) if !is_same(&noted, &here) => {
            tracing::warn!(%noted, %here, "the database is a copy: it begins a new epoch");
            part(conn, &here)
        }
        _ => note(conn, &here),
    }
}

/// Whether the database was copied here from another file, and has not been opened since.
pub fn is_copy(conn: &Connection, path: &Path) -> Result<bool, rusqlite::Error> {
    let Some(here) = identity(path) else { return Ok(false) };
    Ok(told(conn, "file")?.is_some_and(|noted| !is_same(&noted, &here)))
}

/// Begins a new epoch. The write-ahead log that was copied too names the old one, so until its
/// frames are in the file both are known.
fn part(conn: &Connection, here: &str) -> Result<(), rusqlite::Error> {
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

/// Whether two identities are of one file. Some file systems have another device number after each
/// boot. So it counts only within a boot, for a file without a time of birth, and where the path is
/// another: there it tells a snapshot from its original.
fn is_same(noted: &str, here: &str) -> bool {
    const DEVICE: usize = 0;
    const INODE: usize = 1;
    const BORN: usize = 2;
    const BOOT: usize = 3;
    const PATH: usize = 4;
    let noted: Vec<&str> = noted.splitn(PATH + 1, ':').collect();
    let here: Vec<&str> = here.splitn(PATH + 1, ':').collect();
    let is_alike = |part: usize| noted.get(part) == here.get(part);
    let has_moved = noted.get(PATH).is_some_and(|noted| !is_at(noted, here.get(PATH).copied()));
    let device_counts = is_alike(BOOT) || here.get(BORN) == Some(&"0") || has_moved;
    is_alike(INODE) && is_alike(BORN) && (is_alike(DEVICE) || !device_counts)
}

/// Whether a path that was noted is this one, or leads to it: earlier versions did not resolve the
/// links in it.
fn is_at(noted: &str, here: Option<&str>) -> bool {
    let resolved = || fs::canonicalize(noted).ok();
    here.is_some_and(|here| noted == here || resolved().is_some_and(|path| path == Path::new(here)))
}

/// Device, inode and birth of a file, the boot, and the path without links: a move within a file
/// system keeps inode and birth, a copy does not. Earlier versions noted no boot, or no path.
pub fn identity(path: &Path) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    let born = metadata.created().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let born = born.map_or(0, |at| at.as_nanos());
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let (device, inode, boot) = (metadata.dev(), metadata.ino(), boot.trim());
    let path = fs::canonicalize(path).ok()?;
    Some(format!("{device}:{inode}:{born}:{boot}:{}", path.display()))
}

#[cfg(test)]
#[path = "tests/identity.rs"]
mod tests;
