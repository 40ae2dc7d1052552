//! Why a home, or a file of it, cannot be used.

use std::{io, path::Path};

use rustix::io::Errno;

/// Why a home, or a file of it, cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HomeError {
    #[error("home `{path}` not found")]
    Missing { path: String },
    #[error("home `{path}` is not a folder")]
    NotAFolder { path: String },
    /// What another user wrote must not become an agent's instructions.
    #[error("home `{path}` belongs to another user (uid {owner}), not to the daemon's (uid {me})")]
    OtherOwner { path: String, owner: u32, me: u32 },
    #[error("`{file}` is or is behind a symbolic link, and links in a home are not followed")]
    Link { file: String },
    #[error("`{file}` is not a regular file")]
    NotAFile { file: String },
    #[error("`{file}` not found")]
    NoFile { file: String },
    #[error("`{file}` has no version {version}")]
    NoVersion { file: String, version: u64 },
    /// Nothing was changed.
    #[error("cannot write `{file}`: disk full: nothing was saved")]
    Full { file: String },
    #[error("cannot use `{file}`: {error}")]
    System { file: String, error: Errno },
}

impl HomeError {
    /// What a failed system call, read or write of a file means.
    pub fn of(file: &str, error: impl Into<io::Error>) -> Self {
        let file = file.to_owned();
        match errno(&error.into()) {
            Errno::LOOP | Errno::MLINK | Errno::NOTDIR => Self::Link { file },
            Errno::NOSPC | Errno::DQUOT | Errno::FBIG => Self::Full { file },
            Errno::NOENT => Self::NoFile { file },
            Errno::ISDIR | Errno::NXIO => Self::NotAFile { file },
            error => Self::System { file, error },
        }
    }

    /// What a system call gave; `None` if the file does not exist.
    pub fn if_there<T>(file: &str, done: Result<T, Errno>) -> Result<Option<T>, Self> {
        match done {
            Err(Errno::NOENT) => Ok(None),
            done => done.map(Some).map_err(|error| Self::of(file, error)),
        }
    }

    /// What a failed system call on the home itself means.
    pub fn of_home(path: &Path, error: impl Into<io::Error>) -> Self {
        let path = path.display().to_string();
        match errno(&error.into()) {
            Errno::NOENT => Self::Missing { path },
            Errno::NOTDIR | Errno::LOOP => Self::NotAFolder { path },
            error => Self::of(&path, error),
        }
    }
}

/// What the system says of an error.
pub fn errno(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}
