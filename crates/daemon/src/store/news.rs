//! News of what was committed.

use std::sync::Arc;

use agent_worker_protocol::event::{Event, EventBody};
use tokio::sync::{
    broadcast::{self, Receiver, error::RecvError},
    watch,
};

/// What was committed, for listeners. There may be none, and a slow listener is sent back to the
/// table.
#[derive(Debug, Clone)]
pub struct News {
    pub events: broadcast::Sender<Arc<Event>>,
    pub latest: watch::Sender<i64>,
}

pub const NEWS_KEPT: usize = 4096;

/// Waits for news that concerns a listener; what it was too slow to hear may. False if there will
/// be no more.
pub async fn heard(news: &mut Receiver<Arc<Event>>, concerns: impl Fn(&EventBody) -> bool) -> bool {
    loop {
        match news.recv().await {
            Ok(event) if !concerns(&event.body) => {}
            Ok(_) | Err(RecvError::Lagged(_)) => return true,
            Err(RecvError::Closed) => return false,
        }
    }
}
