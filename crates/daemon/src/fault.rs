//! Errors of the database by what follows from them.

use std::{io, os::unix::fs::MetadataExt as _, path::Path};

use agent_worker_protocol::shell::quoted;
use rusqlite::{Error, ErrorCode, ffi};
use rustix::process::{Resource, getrlimit};

/// What is behind an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The disk is full: nothing is lost, and a later attempt may succeed.
    Full,
    /// The file does not hold what was written. To write on could make it worse.
    Damaged,
    /// The disk fails. What was written last may be there or not, and the system may say that all
    /// is well the next time it is asked: only to read anew what is there tells.
    Disk,
}

impl Fault {
    /// The fault behind an error, if it is one.
    pub fn of(error: &Error) -> Option<Self> {
        let ffi::Error { code, extended_code } = *error.sqlite_error()?;
        match (code, extended_code) {
            // The index of the log has no room to grow.
            (ErrorCode::DiskFull, _) | (_, ffi::SQLITE_IOERR_SHMSIZE) => Some(Self::Full),
            (_, ffi::SQLITE_IOERR_NOMEM) => None,
            (ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase, _) => Some(Self::Damaged),
            (ErrorCode::SystemIoFailure, _) => Some(Self::Disk),
            _ => None,
        }
    }

    /// Whether nothing more is to be written.
    pub fn is_fatal(self) -> bool {
        self != Self::Full
    }
}

/// The error of what this thread has just done with the database. SQLite tells a full disk by
/// ENOSPC alone: of every other write that fails, the system still says whether there was room.
pub fn judged(error: Error) -> Error {
    judged_by(&io::Error::last_os_error(), error)
}

fn judged_by(system: &io::Error, error: Error) -> Error {
    let code = error.sqlite_error().map(|code| code.extended_code);
    if code == Some(ffi::SQLITE_IOERR_WRITE) && is_full(system) {
        Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_FULL), Some(system.to_string()))
    } else {
        error
    }
}

/// Whether a file was not written because the disk is full, or the share of it that the user has,
/// or because no file may be as large.
pub fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// The end of the advice to free disk space, where this process may not write files of any size.
pub fn or_lift_limit() -> &'static str {
    let is_limited = getrlimit(Resource::Fsize).current.is_some();
    if is_limited { ", or lift the limit for the size of files (ulimit -f)" } else { "" }
}

/// Free inodes below which a start or a command may fail: each makes a few files.
pub const FEW_INODES: u64 = 16;

/// Whether few inodes are left. A file system without a fixed number of inodes counts 0 of them.
pub fn has_few_inodes(inodes: u64, free_inodes: u64) -> bool {
    inodes > 0 && free_inodes < FEW_INODES
}

/// What was done to a file, or `None` if it is missing.
pub fn if_there<T>(done: io::Result<T>) -> io::Result<Option<T>> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        done => done.map(Some),
    }
}

/// The command that lets this user read a file that the system did not let it read.
pub fn reopening(path: &Path) -> String {
    let shown = quoted(&path.display().to_string());
    // Only its owner can change the mode of a file.
    let own = rustix::process::geteuid().as_raw();
    let is_own = std::fs::metadata(path).map_or(true, |file| file.uid() == own);
    if is_own { format!("chmod 600 {shown}") } else { format!(r#"sudo chown "$(id -un)" {shown}"#) }
}

/// The same error again, for each of those whom it concerns.
pub fn copied(error: &Error) -> Error {
    match error {
        Error::SqliteFailure(code, text) => Error::SqliteFailure(*code, text.clone()),
        other => {
            let code = ffi::Error::new(ffi::SQLITE_ABORT);
            Error::SqliteFailure(code, Some(other.to_string()))
        }
    }
}

#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::*;

    #[test]
    fn only_a_shortage_is_waited_out() {
        for (code, fault) in [
            (ffi::SQLITE_FULL, Some(Fault::Full)),
            (ffi::SQLITE_IOERR_SHMSIZE, Some(Fault::Full)),
            (ffi::SQLITE_IOERR_FSYNC, Some(Fault::Disk)),
            (ffi::SQLITE_IOERR_WRITE, Some(Fault::Disk)),
            (ffi::SQLITE_CORRUPT, Some(Fault::Damaged)),
            (ffi::SQLITE_CORRUPT_INDEX, Some(Fault::Damaged)),
            (ffi::SQLITE_NOTADB, Some(Fault::Damaged)),
            (ffi::SQLITE_IOERR_NOMEM, None),
            (ffi::SQLITE_BUSY, None),
            (ffi::SQLITE_CONSTRAINT_UNIQUE, None),
        ] {
            let error = Error::SqliteFailure(ffi::Error::new(code), None);
            assert_eq!(Fault::of(&error), fault, "{code}");
            assert_eq!(Fault::of(&copied(&error)), fault, "{code}");
        }
    }

    #[test]
    fn a_write_that_finds_no_room_is_no_failure_of_the_disk() {
        for (code, system, fault) in [
            (ffi::SQLITE_IOERR_WRITE, Errno::DQUOT, Fault::Full),
            (ffi::SQLITE_IOERR_WRITE, Errno::FBIG, Fault::Full),
            (ffi::SQLITE_IOERR_WRITE, Errno::IO, Fault::Disk),
            // What was written before may be lost.
            (ffi::SQLITE_IOERR_FSYNC, Errno::DQUOT, Fault::Disk),
            (ffi::SQLITE_CORRUPT, Errno::DQUOT, Fault::Damaged),
        ] {
            let error = Error::SqliteFailure(ffi::Error::new(code), None);
            let judged = judged_by(&io::Error::from(system), error);
            assert_eq!(Fault::of(&judged), Some(fault), "{code}: {system}");
        }
    }
}
