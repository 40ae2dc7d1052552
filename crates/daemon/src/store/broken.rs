//! Errors that end more than the job in which they occur.

use crate::{
    error::OpError,
    fault::{Fault, copied},
    store::job::Job,
};

/// The error after which nothing more is to be written, if it is one.
pub fn fatal(error: &OpError) -> Option<rusqlite::Error> {
    let OpError::Storage(error) = error else { return None };
    Fault::of(error).is_some_and(Fault::is_fatal).then(|| copied(error))
}

pub fn fail_all<B>(group: &mut [Box<dyn Job<B>>], error: &rusqlite::Error) {
    for job in group {
        job.fail(OpError::Storage(copied(error)));
    }
}

pub fn ended_transaction() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(
        rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_ABORT),
        Some("an error ended the transaction".to_owned()),
    )
}
