//! Errors of the database by what follows from them.

use rusqlite::{Error, ErrorCode, ffi};

/// What is behind an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// There is no room: nothing is lost, and it may be better the next time.
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
        match error.sqlite_error()? {
            // The index of the log has no room to grow.
            ffi::Error { extended_code: ffi::SQLITE_IOERR_SHMSIZE, .. } => Some(Self::Full),
            ffi::Error { extended_code: ffi::SQLITE_IOERR_NOMEM, .. } => None,
            ffi::Error { code: ErrorCode::DiskFull, .. } => Some(Self::Full),
            ffi::Error { code: ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase, .. } => {
                Some(Self::Damaged)
            }
            ffi::Error { code: ErrorCode::SystemIoFailure, .. } => Some(Self::Disk),
            _ => None,
        }
    }

    /// Whether nothing more is to be written.
    pub fn is_fatal(self) -> bool {
        self != Self::Full
    }
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
