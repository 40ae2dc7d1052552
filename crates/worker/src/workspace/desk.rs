//! What the tools work on, and a call that may be given up.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use super::{
    Limits, Refusal, Root, Seen,
    root::{End, Missing, Place},
};

/// What the tools work on.
#[derive(Debug)]
pub struct Desk {
    pub root: Root,
    pub limits: Limits,
    pub seen: Mutex<Seen>,
}

/// A call that may be given up by its caller.
#[derive(Debug)]
pub struct Job {
    pub desk: Arc<Desk>,
    pub is_over: Arc<AtomicBool>,
}

/// Cancels a job after its caller is gone.
pub struct Over(pub Arc<AtomicBool>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Job {
    /// An error once its caller has gone.
    pub fn goes_on(&self) -> Result<(), Refusal> {
        if self.is_over.load(Ordering::Relaxed) {
            return Err(Refusal::new("the caller has gone"));
        }
        Ok(())
    }

    /// Where something is that is looked at.
    pub fn find(&self, path: &str) -> Result<Place, Refusal> {
        self.desk.root.find(path, End::Follow, Missing::Refuse)
    }

    /// What the run has seen. A writer of a file keeps this until it is done, so that of two
    /// changes at once the second sees the first.
    pub fn seen(&self) -> MutexGuard<'_, Seen> {
        self.desk.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
