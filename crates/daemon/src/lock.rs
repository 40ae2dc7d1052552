//! How a lock is taken that a thread may have broken: what it guards is whole after each change.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes a lock, even if a thread that held it has panicked.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
