//! The transcripts of live runs, for those who watch them grow. What is missed here is in the
//! tables.

use std::{collections::HashMap, sync::Mutex};

use agent_worker_protocol::{OutputEvent, RunId};
use tokio::sync::broadcast;

use crate::lock::lock;

/// How many events of a run a slow watcher may lie behind before it reads the tables again.
const KEPT: usize = 1024;

/// What those hear who watch a run.
#[derive(Debug, Clone)]
pub enum News {
    /// Something was told; it is stored a little later
    Told(OutputEvent),
    /// More of what was told is in the tables now
    Stored,
}

/// The live runs. A run gets its channel when a client first watches it: a channel reserves all its
/// room, and few runs are watched.
#[derive(Debug, Default)]
pub struct Outputs {
    live: Mutex<HashMap<RunId, Option<broadcast::Sender<News>>>>,
}

impl Outputs {
    /// Begins the transcript of a run, if it has not begun: a claim that is not stored is made
    /// again, and then has the same number.
    pub fn open(&self, run: RunId) {
        lock(&self.live).entry(run).or_default();
    }

    /// Tells those who watch.
    pub fn send(&self, run: RunId, event: OutputEvent) {
        if let Some(Some(sender)) = lock(&self.live).get(&run) {
            // An error means that no one watches.
            drop(sender.send(News::Told(event)));
        }
    }

    /// Says that more of what was told is stored.
    pub fn stored(&self, run: RunId) {
        if let Some(Some(sender)) = lock(&self.live).get(&run) {
            drop(sender.send(News::Stored));
        }
    }

    /// Watches a run; none if it is not live.
    pub fn watch(&self, run: RunId) -> Option<broadcast::Receiver<News>> {
        let mut live = lock(&self.live);
        let channel = live.get_mut(&run)?;
        Some(channel.get_or_insert_with(|| broadcast::channel(KEPT).0).subscribe())
    }

    /// Ends the transcript of a run.
    pub fn close(&self, run: RunId) {
        lock(&self.live).remove(&run);
    }
}
