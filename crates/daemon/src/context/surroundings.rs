//! What an operation has beside its transaction.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::{
    clock::{Clock, Stopwatch},
    settings::Settings,
};

/// What an operation finds beside its transaction.
#[derive(Debug, Clone)]
pub struct Surroundings {
    pub clock: Clock,
    pub settings: Arc<Settings>,
    /// Started with the daemon
    pub uptime: Stopwatch,
    /// Whether the last change could not be saved because the disk was full
    is_disk_full: Arc<AtomicBool>,
}

impl Surroundings {
    /// Those of a database whose disk has space, as far as is known.
    pub fn new(clock: Clock, settings: Arc<Settings>) -> Self {
        Self { clock, settings, uptime: Stopwatch::start(), is_disk_full: Arc::default() }
    }

    /// Whether the last change could not be saved because the disk was full.
    pub fn is_disk_full(&self) -> bool {
        self.is_disk_full.load(Ordering::Relaxed)
    }

    /// Notes whether it is so, for all clones.
    pub fn set_disk_full(&self, is_full: bool) {
        self.is_disk_full.store(is_full, Ordering::Relaxed);
    }
}
