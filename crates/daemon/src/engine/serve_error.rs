//! Why no daemon runs, in words for the user.

use std::{io, net::SocketAddr, path::Path};

use rustix::fs::statvfs;

use crate::{
    announce::NotTheDaemon,
    engine::place::Lost,
    error::OpError,
    fault::{self, Fault},
    settings,
    store::{
        error::{self, OpenError},
        file,
        migrations::MigrationError,
    },
};

/// Why a daemon did not start, or did not go on.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Another process is the daemon, or the state directory cannot be used.
    #[error(transparent)]
    NotTheDaemon(#[from] NotTheDaemon),
    /// The state directory is no longer this daemon's.
    #[error("the state directory is lost, and the daemon has ended")]
    Lost(#[from] Lost),
    /// `config.toml` is not taken.
    #[error(transparent)]
    Settings(#[from] settings::BadSettings),
    /// The database is not opened.
    #[error(transparent)]
    Store(#[from] error::OpenError),
    /// No space is left for what a start writes into the database.
    #[error("disk full: the daemon cannot start without space at {path}")]
    Full { path: String },
    /// No inode is left for a file that a start makes.
    #[error("disk full: the daemon cannot start without free inodes at {path}")]
    NoInodes { path: String },
    /// The database could not be made true again. The text has the causes.
    #[error("recovering: {0}")]
    Recover(OpError),
    /// The address cannot be bound.
    #[error("cannot bind {address}")]
    Bind { address: SocketAddr, source: io::Error },
    /// Something of the system failed.
    #[error("{what}")]
    System { what: &'static str, source: io::Error },
    /// Nothing more can be written that could be relied upon.
    #[error("nothing more is written to {path}, and the daemon has ended")]
    Broken { path: String, source: rusqlite::Error },
    /// The writer of the database has ended, and nothing can be stored any more.
    #[error("the database's writer has ended; daemon.log says why")]
    WriterEnded,
}

impl ServeError {
    /// What to do, where there is something to do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotTheDaemon(NotTheDaemon::Another { .. }) => {
                Some("agent-worker daemon status".to_owned())
            }
            Self::NotTheDaemon(NotTheDaemon::Unusable(unusable)) => Some(unusable.hint()),
            Self::Store(OpenError::Migration(error)) => error.hint().map(str::to_owned),
            Self::Settings(bad) => Some(bad.hint()),
            Self::Store(OpenError::Unsound(unsound)) => Some(unsound.hint().to_owned()),
            Self::Bind { source, .. } if source.kind() == io::ErrorKind::AddrInUse => Some(
                "another program listens there: without `--port`, and without `port` below `[http]` \
                 in config.toml, a free one is chosen"
                    .to_owned(),
            ),
            Self::Full { path } => {
                Some(format!("free disk space at {path}{}", fault::or_lift_limit()))
            }
            Self::NoInodes { path } => {
                Some(format!("remove files from the disk of {path}: each file takes an inode"))
            }
            Self::System { source, .. } if fault::is_full(source) => {
                Some("agent-worker doctor".to_owned())
            }
            Self::Broken { .. } | Self::Lost(Lost::Database { .. }) => {
                Some("agent-worker doctor".to_owned())
            }
            _ => None,
        }
    }
}

/// The database was not opened.
pub fn not_opened(database: &Path, error: OpenError) -> ServeError {
    let is_full = match &error {
        OpenError::Making { source, .. } => fault::is_full(source),
        OpenError::Sqlite(source) | OpenError::Migration(MigrationError::Sqlite(source)) => {
            Fault::of(source) == Some(Fault::Full)
        }
        OpenError::Migration(MigrationError::Copy(source)) => source.is_full(),
        _ => false,
    };
    if is_full { full(database) } else { ServeError::Store(error) }
}

/// The tables could not be made true again.
pub fn not_recovered(database: &Path, error: OpError) -> ServeError {
    match error {
        OpError::Storage(source) if Fault::of(&source) == Some(Fault::Damaged) => {
            ServeError::Store(file::damaged(database, source).into())
        }
        OpError::Storage(source) if Fault::of(&source) == Some(Fault::Full) => full(database),
        other => ServeError::Recover(other),
    }
}

fn full(database: &Path) -> ServeError {
    let folder = database.parent().unwrap_or(database);
    let path = folder.display().to_string();
    match statvfs(folder) {
        Ok(disk) if fault::has_few_inodes(disk.f_files, disk.f_favail) => {
            ServeError::NoInodes { path }
        }
        _ => ServeError::Full { path },
    }
}

/// Something of the system failed, for [`Result::map_err`].
pub fn system(what: &'static str) -> impl FnOnce(io::Error) -> ServeError {
    move |source| ServeError::System { what, source }
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    #[test]
    fn a_start_without_room_says_where_to_free_it_and_nothing_twice() {
        let database = Path::new("/srv/state/agent-worker.db");
        let of_sqlite = || rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_FULL), None);
        for error in [
            not_recovered(database, OpError::Storage(of_sqlite())),
            not_opened(database, OpenError::Sqlite(of_sqlite())),
            not_opened(database, OpenError::Migration(MigrationError::Sqlite(of_sqlite()))),
        ] {
            assert!(std::error::Error::source(&error).is_none(), "{error}");
            assert_eq!(error.hint().as_deref(), Some("free disk space at /srv/state"), "{error}");
        }
    }
}
