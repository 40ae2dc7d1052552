//! The list of migrations and what runs them.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::{
    fail_points::reach,
    fault::judged,
    store::copy::{self, CopyError},
};

/// Every file of `migrations/`, in order. A database's `user_version` is the schema that the last
/// file it has seen makes.
pub const MIGRATIONS: &[&str] = &[
    include_str!("../../../../migrations/0001_init.sql"),
    include_str!("../../../../migrations/0002_sends_and_browsers.sql"),
    include_str!("../../../../migrations/0003_chats.sql"),
    include_str!("../../../../migrations/0004_messages_once.sql"),
    include_str!("../../../../migrations/0005_member_reads.sql"),
    include_str!("../../../../migrations/0006_found_by_index.sql"),
    include_str!("../../../../migrations/0007_numbers.sql"),
    include_str!("../../../../migrations/0008_entered.sql"),
    include_str!("../../../../migrations/0009_paused_by.sql"),
];

/// The schema that the first file makes. Those before it were of no release.
pub const FIRST: i64 = 8;

/// Says in a file's header that it is one of ours: `AwDb`.
const APPLICATION: i32 = 0x4177_4462;

/// Why a database is not opened.
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    /// It was written by a later version.
    #[error(
        "{path} is of schema {found}, and this version of agent-worker knows schema {known}: it was \
         left as it is"
    )]
    Newer {
        path: String,
        found: i64,
        /// The newest known here
        known: i64,
    },
    /// It was written before the first release.
    #[error(
        "{path} is of schema {found}, from before the first release, and this version \
         of agent-worker knows schema {FIRST} and later ones: it was not changed"
    )]
    Older { path: String, found: i64 },
    /// Another program made it.
    #[error("{path} is not a database of agent-worker, and was not changed")]
    Foreign { path: String },
    /// What was there could not be kept.
    #[error("keeping the database as it is before it is migrated")]
    Copy(#[from] CopyError),
    #[error("migrating the database")]
    Sqlite(#[from] rusqlite::Error),
}

impl MigrationError {
    /// What to do about it, where there is something to do.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Newer { .. } => Some(
                "use the version that wrote it, or a later one, or restore a backup of this one: \
                 agent-worker restore FILE",
            ),
            Self::Older { .. } => Some(
                "move agent-worker.db and the files that end in -wal and -shm away to begin anew",
            ),
            Self::Foreign { .. } => Some(
                "move it and the files beside it that end in -wal and -shm away to begin anew, or \
                 restore a backup: agent-worker restore FILE",
            ),
            Self::Copy(_) | Self::Sqlite(_) => None,
        }
    }
}

/// The schema that a number of files make.
pub fn schema(files: usize) -> i64 {
    i64::try_from(files).map_or(i64::MAX, |files| FIRST - 1 + files)
}

/// The migrations up to a schema.
pub fn texts(version: i64) -> impl Iterator<Item = &'static str> {
    MIGRATIONS.iter().copied().take(usize::try_from(version - FIRST + 1).unwrap_or(0))
}

/// Refuses a file of another program, a later version, or one before the first release. An empty file is accepted.
pub fn check(conn: &Connection) -> Result<(), MigrationError> {
    let number = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0));
    let found = number("PRAGMA user_version")?;
    let application = number("PRAGMA application_id")?;
    let is_empty = number("SELECT count(*) FROM sqlite_schema")? == 0;
    let has_state = number("SELECT count(*) FROM sqlite_schema WHERE name = 'daemon_state'")? == 1;
    let is_ours = match (found, application) {
        (0, 0) => is_empty,
        (_, 0) => has_state,
        (_, marked) => marked == i64::from(APPLICATION),
    };
    match schema(MIGRATIONS.len()) {
        _ if !is_ours => Err(MigrationError::Foreign { path: path(conn) }),
        known if found > known => Err(MigrationError::Newer { path: path(conn), found, known }),
        _ if 0 < found && found < FIRST => Err(MigrationError::Older { path: path(conn), found }),
        _ => Ok(()),
    }
}

pub fn path(conn: &Connection) -> String {
    conn.path().unwrap_or("the database").to_owned()
}

/// Brings a database to the newest schema, each migration in a transaction of its own.
/// A database that is not new is first copied to `<path>.before-<version>`.
pub fn migrate(conn: &mut Connection, path: Option<&Path>) -> Result<(), MigrationError> {
    apply(conn, path, MIGRATIONS)
}

fn apply(
    conn: &mut Connection,
    path: Option<&Path>,
    migrations: &[&str],
) -> Result<(), MigrationError> {
    let known = schema(migrations.len());
    let found: i64 = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if let Some(path) = path
        && found > 0
        && found < known
    {
        keep_copy(conn, path, found + 1)?;
    }
    for (version, sql) in (FIRST..).zip(migrations).filter(|(version, _)| *version > found) {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        tx.execute_batch(sql).map_err(judged)?;
        tx.pragma_update(None, "user_version", version)?;
        tx.pragma_update(None, "application_id", APPLICATION)?;
        reach("migrate.done");
        tx.commit().map_err(judged)?;
        reach("migrate.committed");
    }
    Ok(())
}

/// Copies the database as it is before it is brought to a schema.
fn keep_copy(conn: &Connection, path: &Path, version: i64) -> Result<(), MigrationError> {
    let mut copy = path.as_os_str().to_owned();
    copy.push(format!(".before-{version}"));
    // An existing copy is left from an attempt that stopped before this line.
    drop(std::fs::remove_file(&copy));
    Ok(copy::copy(conn, Path::new(&copy))?)
}

#[cfg(test)]
#[path = "tests/migrations.rs"]
mod tests;
