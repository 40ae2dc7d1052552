//! Backups: a copy of the database that is checked before anyone is told of it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use agent_worker_protocol::{BackupMade, Finding};
use rusqlite::Connection;

use crate::{
    engine::{app::App, doctor::tables::all},
    error::OpError,
    rows::{Db, daemon_state, event, message},
    store::{copy, file},
};

/// The page cache of a check, KiB, as SQLite wants it told: below zero.
const CHECK_CACHE: i64 = -1024;

/// Copies the database into the state directory. A copy that does not become whole leaves nothing.
pub async fn make(app: &App) -> Result<BackupMade, OpError> {
    let draft =
        Draft::new(app.home().join(format!("backup-{}.draft", uuid::Uuid::new_v4().simple())));
    let path = draft.path.clone();
    let copied_and_checked = move |conn: &Connection| {
        copy::copy(conn, &path)?;
        check(&path)
    };
    let made = app.store().beside(copied_and_checked).await?;
    draft.keep();
    Ok(made)
}

/// Looks whether a copy is whole, and what is in it.
pub fn check(path: &Path) -> Result<BackupMade, OpError> {
    let conn = file::open_idle(path)?;
    // The thread belongs to a reader, and what it once took it keeps.
    conn.pragma_update(None, "cache_size", CHECK_CACHE)?;
    if let Some(finding) = all::wholeness(&conn).first() {
        return Err(OpError::Broken(format!("the copy is incomplete: {}", first_case(finding))));
    }
    let contents = Contents::of(&conn)?;
    let bytes = fs::metadata(path).map_or(0, |metadata| metadata.len());
    let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
    Ok(BackupMade {
        file: path.display().to_string(),
        bytes,
        schema: contents.schema,
        seq: contents.seq,
        messages: contents.messages,
    })
}

/// A finding in a few words.
pub fn first_case(finding: &Finding) -> String {
    let case = finding.cases.first();
    case.map_or_else(|| finding.promise.clone(), |case| format!("{}: {}", case.subject, case.what))
}

/// What is in a database, in figures.
pub struct Contents {
    /// The version of its schema
    pub schema: i64,
    pub seq: i64,
    pub messages: i64,
}

impl Contents {
    /// Looks into a database.
    pub fn of(conn: &Connection) -> Result<Self, OpError> {
        let db = Db::new(conn);
        Ok(Self {
            schema: daemon_state::schema(db)?,
            seq: event::newest_seq(db)?,
            messages: message::newest_seq(db)?,
        })
    }
}

/// A file that is removed unless it is kept, with what SQLite has left beside it.
pub struct Draft {
    pub path: PathBuf,
    is_kept: bool,
}

impl Draft {
    /// A file that is about to be made. What an earlier attempt has left there goes: SQLite would
    /// take its journal for one of the new file's.
    pub fn new(path: PathBuf) -> Self {
        remove(&path);
        Self { path, is_kept: false }
    }

    /// It stays.
    pub fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.is_kept {
            remove(&self.path);
        }
    }
}

pub fn remove(draft: &Path) {
    for suffix in ["", "-journal", "-wal", "-shm"] {
        let mut path = draft.as_os_str().to_owned();
        path.push(suffix);
        drop(fs::remove_file(path));
    }
}

/// Whether a file is a copy of a database that is on its way to its place, or belongs to one. No
/// name that a person gives to a backup is like it.
pub fn is_draft(name: &str) -> bool {
    let begins = ["backup-", "restored-"];
    begins.iter().any(|begin| name.starts_with(begin)) && name.contains(".draft")
}

/// Removes copies that were never moved to their place. For the start of a daemon.
pub fn forget(home: &Path) {
    for entry in fs::read_dir(home).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if is_draft(&name) {
            drop(fs::remove_file(entry.path()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_that_did_not_become_whole_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("backup-1.draft");
        fs::write(&path, "half of it").unwrap();
        fs::write(folder.path().join("backup-1.draft-journal"), "of a full disk").unwrap();
        let draft = Draft::new(path.clone());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "of an earlier attempt");
        fs::write(&path, "half of it").unwrap();
        fs::write(folder.path().join("backup-1.draft-journal"), "of a full disk").unwrap();
        drop(draft);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let draft = Draft::new(path.clone());
        fs::write(&path, "whole").unwrap();
        draft.keep();
        assert!(path.exists());
    }
}
