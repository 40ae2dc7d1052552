//! Copies of a database, whole and on the disk.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use rusqlite::Connection;

use crate::ops::OpError;

/// Why a copy was not made.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The file cannot be written.
    #[error("writing the copy")]
    File(#[from] io::Error),
    /// SQLite refused.
    #[error("copying the database")]
    Sqlite(#[from] rusqlite::Error),
}

impl From<CopyError> for OpError {
    fn from(error: CopyError) -> Self {
        match error {
            CopyError::Sqlite(error) => error.into(),
            CopyError::File(error) if error.kind() == io::ErrorKind::StorageFull => {
                Self::Storage(rusqlite::Error::SqliteFailure(
                    rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL),
                    None,
                ))
            }
            CopyError::File(error) => Self::Broken(format!("a copy of the database: {error}")),
        }
    }
}

/// Writes what a connection sees now into a new file, for its owner alone.
pub fn copy(conn: &Connection, into: &Path) -> Result<(), CopyError> {
    let mut options = OpenOptions::new();
    // SQLite takes an empty file for a new one.
    options.write(true).create_new(true).mode(0o600).open(into)?;
    conn.execute("VACUUM INTO ?1", [into.to_string_lossy()])?;
    File::open(into)?.sync_all()?;
    Ok(())
}
