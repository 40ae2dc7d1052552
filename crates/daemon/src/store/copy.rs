//! Copies of a database, whole and on the disk.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use agent_worker_protocol::ErrorCode;
use rusqlite::Connection;

use crate::{
    error::OpError,
    fault::{self, Fault},
};

/// Why a copy was not made.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The file cannot be written.
    #[error("writing the copy")]
    File(#[from] io::Error),
    #[error("copying the database")]
    Sqlite(#[from] rusqlite::Error),
}

impl CopyError {
    /// Whether there was no room for the copy.
    pub fn is_full(&self) -> bool {
        match self {
            Self::File(error) => fault::is_full(error),
            Self::Sqlite(error) => Fault::of(error) == Some(Fault::Full),
        }
    }
}

impl From<CopyError> for OpError {
    fn from(error: CopyError) -> Self {
        match error {
            full if full.is_full() => Self::refused(
                ErrorCode::StorageFull,
                "disk full: the state directory has no space for a copy of the database, nothing \
                 was copied",
            )
            .hint("free disk space there: every copy is first made beside the database"),
            CopyError::Sqlite(error) => error.into(),
            CopyError::File(error) => Self::Broken(format!("a copy of the database: {error}")),
        }
    }
}

/// Writes what a connection sees now into a new file, for its owner alone. A copy that does not
/// become whole leaves nothing: on a full disk its part would take what room is left.
pub fn copy(conn: &Connection, into: &Path) -> Result<(), CopyError> {
    let mut options = OpenOptions::new();
    // SQLite takes an empty file for a new one.
    options.write(true).create_new(true).mode(0o600).open(into)?;
    let copied = fill(conn, into);
    if copied.is_err() {
        // The error counts.
        drop(fs::remove_file(into));
    }
    copied
}

fn fill(conn: &Connection, into: &Path) -> Result<(), CopyError> {
    conn.execute("VACUUM INTO ?1", [into.to_string_lossy()]).map_err(fault::judged)?;
    Ok(File::open(into)?.sync_all()?)
}
