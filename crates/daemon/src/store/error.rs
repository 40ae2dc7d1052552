//! Why a database is not opened.

use std::io;

use crate::store::{found::Unsound, migrations::MigrationError};

/// Why the database is not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// What is there is not opened.
    #[error(transparent)]
    Unsound(#[from] Unsound),
    #[error("opening the database")]
    Sqlite(#[from] rusqlite::Error),
    /// A file of it could not be made.
    #[error("making the files of the database {path}")]
    Making { path: String, source: io::Error },
    /// This version does not know its schema, or could not migrate it.
    #[error(transparent)]
    Migration(#[from] MigrationError),
    /// The writer's thread, or a reader's, could not be started.
    #[error("starting the database's threads")]
    Thread(#[source] io::Error),
}
