//! Restoring a backup, while no daemon has the state directory. Whatever interrupts it, either the
//! old database or the new one is there, whole.
//!
//! The new one is made ready beside the old. Giving it its name (`restored-N.db`) is the decision:
//! from then on the next process, a daemon or another restore, puts it in its place.

use std::{
    fs::{self, DirBuilder, File},
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use agent_worker_protocol::Restored;
use rusqlite::Connection;

use crate::{
    announce::{self, Lock, NotTheDaemon},
    engine::{
        backup::{self, Contents, Draft},
        doctor::tables::all,
    },
    error::OpError,
    fault::{self, Fault, if_there},
    store::{
        copy::{self, CopyError},
        file::{self, FILES, MAIN},
        identity, migrations,
    },
};

/// Why nothing was restored. The database is as it was.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// A daemon is at work, or the state directory cannot be used.
    #[error(transparent)]
    NotTheDaemon(#[from] NotTheDaemon),
    /// The file cannot be a database here.
    #[error("{file} is not restored: {why}")]
    Unfit {
        file: String,
        /// What is wrong with it
        why: String,
    },
    /// The copy could not be made.
    #[error("restoring {file}")]
    Copy { file: String, source: CopyError },
    /// The disk is full.
    #[error("disk full: {home} has no space for another database, nothing was changed")]
    NoRoom { home: String },
    /// A file could not be put in its place.
    #[error("putting the database in its place")]
    Place(#[from] io::Error),
}

impl RestoreError {
    /// What to do, where there is something to do.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::NoRoom { .. } => {
                Some("free disk space there, then restore again: the replaced database is kept")
            }
            Self::Unfit { file, .. } if !Path::new(file).is_file() => {
                Some("name a file that `agent-worker backup` has written")
            }
            _ => None,
        }
    }
}

/// Puts a backup in the database's place. The files that were there are moved aside.
pub async fn restore(home: &Path, file: &Path) -> Result<Restored, RestoreError> {
    announce::make_home(home)?;
    let _lock = Lock::hold(home).await?;
    finish(home)?;
    let number = free_number(home);
    let draft = Draft::new(home.join(format!("restored-{number}.draft")));
    let (epoch, contents) = prepare(file, &draft.path, home)?;
    let had_one = home.join(MAIN).exists();
    decide(home, draft, number).map_err(|error| of_disk(error, home))?;
    finish(home)?;
    Ok(Restored {
        file: file.display().to_string(),
        replaced: had_one.then(|| aside(home, number).display().to_string()),
        epoch,
        schema: contents.schema,
        seq: contents.seq,
        messages: contents.messages,
    })
}

/// Copies a backup to where it will be used from, checks the copy, and makes it a database of its
/// own, with this epoch.
pub fn prepare(file: &Path, draft: &Path, home: &Path) -> Result<(String, Contents), RestoreError> {
    let shown = || file.display().to_string();
    let unfit = |why: String| RestoreError::Unfit { file: shown(), why };
    let sqlite = |error| {
        let error = fault::judged(error);
        match Fault::of(&error) {
            Some(Fault::Full) => no_room(home),
            _ => unfit(error.to_string()),
        }
    };
    let metadata = fs::metadata(file).map_err(|error| unfit(error.to_string()))?;
    if !metadata.is_file() {
        return Err(unfit("it is not a file".to_owned()));
    }
    if metadata.len() == 0 {
        return Err(unfit("it is empty".to_owned()));
    }
    if is_same(file, &home.join(MAIN)) {
        return Err(unfit("it is the database itself".to_owned()));
    }
    let from = file::open_idle(file).map_err(sqlite)?;
    migrations::check(&from).map_err(|error| unfit(error.to_string()))?;
    copy::copy(&from, draft).map_err(|source| match source {
        source if source.is_full() => no_room(home),
        CopyError::Sqlite(error) if is_damage(&error) => unfit(error.to_string()),
        source => RestoreError::Copy { file: shown(), source },
    })?;
    drop(from);
    let conn = Connection::open(draft).map_err(sqlite)?;
    if let Some(finding) = all::wholeness(&conn).first() {
        return Err(unfit(backup::first_case(finding)));
    }
    let epoch = uuid::Uuid::new_v4().simple().to_string();
    identity::begin_epoch(&conn, &epoch).map_err(sqlite)?;
    let contents = Contents::of(&conn).map_err(|error| match error {
        OpError::Storage(error) => sqlite(error),
        error => unfit(error.to_string()),
    })?;
    conn.close().map_err(|(_, error)| sqlite(error))?;
    let synced = File::open(draft).and_then(|draft| draft.sync_all());
    synced.map_err(|error| of_disk(error, home))?;
    Ok((epoch, contents))
}

fn no_room(home: &Path) -> RestoreError {
    RestoreError::NoRoom { home: home.display().to_string() }
}

fn of_disk(error: io::Error, home: &Path) -> RestoreError {
    if fault::is_full(&error) { no_room(home) } else { error.into() }
}

/// Whether it is the file that is at fault, and not the disk that is written to.
fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase)
    )
}

pub fn is_same(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// The first number under which nothing was replaced yet.
fn free_number(home: &Path) -> u32 {
    // It may be left of a restore that was interrupted before it was decided on.
    let is_free = |number: &u32| {
        if_there(fs::read_dir(aside(home, *number)))
            .is_ok_and(|there| there.is_none_or(|mut entries| entries.next().is_none()))
    };
    (1..=u32::MAX).find(is_free).unwrap_or(u32::MAX)
}

/// Where the files go that are replaced.
fn aside(home: &Path, number: u32) -> PathBuf {
    home.join(format!("replaced-{number}"))
}

/// Makes the place for what is replaced, if there is something.
fn make_aside(home: &Path, number: u32) -> io::Result<bool> {
    let is_wanted = FILES.iter().any(|name| home.join(name).exists());
    if is_wanted {
        DirBuilder::new().recursive(true).mode(0o700).create(aside(home, number))?;
    }
    Ok(is_wanted)
}

/// Decides: whatever happens from here on, the new database takes the old one's place. After that
/// files are only renamed, so that a disk without room does not stand in the way.
fn decide(home: &Path, draft: Draft, number: u32) -> io::Result<()> {
    make_aside(home, number)?;
    if let Err(error) = fs::rename(&draft.path, home.join(format!("restored-{number}.db"))) {
        // It is empty or missing.
        drop(fs::remove_dir(aside(home, number)));
        return Err(error);
    }
    draft.keep();
    sync(home)
}

/// Puts a restored database in its place, if one was decided on. Doing it again after an
/// interruption goes on where that was.
pub fn finish(home: &Path) -> io::Result<()> {
    let Some((number, restored)) = decided(home)? else { return Ok(()) };
    if make_aside(home, number)? {
        let aside = aside(home, number);
        for name in FILES {
            if_there(fs::rename(home.join(name), aside.join(name)))?;
        }
        sync(&aside)?;
        sync(home)?;
    }
    fs::rename(restored, home.join(MAIN))?;
    sync(home)
}

/// The restored database that waits for its place.
pub fn decided(home: &Path) -> io::Result<Option<(u32, PathBuf)>> {
    for entry in if_there(fs::read_dir(home))?.into_iter().flatten() {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let number = name.strip_prefix("restored-").and_then(|rest| rest.strip_suffix(".db"));
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            return Ok(Some((number, entry.path())));
        }
    }
    Ok(None)
}

/// Puts a folder's names onto the disk.
fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(test)]
#[path = "tests/restore.rs"]
mod tests;
