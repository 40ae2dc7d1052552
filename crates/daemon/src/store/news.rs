//! News of what was committed.

use std::sync::Arc;

use agent_worker_protocol::Event;
use tokio::sync::{broadcast, watch};

/// What was committed, for listeners. There may be none, and a slow listener is sent back to the
/// table.
#[derive(Debug, Clone)]
pub struct News {
    pub events: broadcast::Sender<Arc<Event>>,
    pub latest: watch::Sender<i64>,
}

pub const NEWS_KEPT: usize = 4096;
