//! Which live runs have listed the daemon's tools. A worker calls tools and never lists them unless
//! its own loop offers them to a model, so a listing shows that an agent program has reached the
//! daemon.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::lock::lock;

type Known = HashMap<[u8; 32], Arc<AtomicBool>>;

/// Live runs by the hashes of their tokens.
#[derive(Debug, Clone, Default)]
pub struct Callers(Arc<Mutex<Known>>);

/// One live run; dropped with it.
#[derive(Debug)]
pub struct Caller {
    all: Callers,
    token_hash: [u8; 32],
    has_listed: Arc<AtomicBool>,
}

impl Callers {
    /// Adds a run that is about to start.
    pub fn expect(&self, token_hash: [u8; 32]) -> Caller {
        let has_listed = Arc::default();
        lock(&self.0).insert(token_hash, Arc::clone(&has_listed));
        Caller { all: self.clone(), token_hash, has_listed }
    }

    /// Notes that the holder of a token has listed the tools.
    pub fn note_listing(&self, token_hash: &[u8; 32]) {
        if let Some(has_listed) = lock(&self.0).get(token_hash) {
            has_listed.store(true, Ordering::Relaxed);
        }
    }
}

impl Caller {
    /// Whether the run has listed the tools.
    pub fn has_listed(&self) -> bool {
        self.has_listed.load(Ordering::Relaxed)
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        lock(&self.all.0).remove(&self.token_hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_live_run_is_noted() {
        let callers = Callers::default();
        callers.note_listing(&[1; 32]);
        let (one, two) = (callers.expect([1; 32]), callers.expect([2; 32]));
        callers.note_listing(&[2; 32]);
        assert_eq!((one.has_listed(), two.has_listed()), (false, true));
        drop((one, two));
        assert!(lock(&callers.0).is_empty());
    }
}
