//! Last words before the worker ends on request.

use std::{sync::LazyLock, time::Duration};

use tokio::sync::watch;

/// Time for all farewells together.
const PATIENCE: Duration = Duration::from_secs(2);

static IS_LEAVING: LazyLock<watch::Sender<bool>> = LazyLock::new(|| watch::Sender::new(false));

/// Someone who has something to say.
pub struct Speaker(watch::Receiver<bool>);

/// Tells all speakers that the worker is about to end, and returns how long they have; `None` if
/// there are none, or if they were told before.
pub fn begin() -> Option<Duration> {
    let was_leaving = IS_LEAVING.send_replace(true);
    (!was_leaving && IS_LEAVING.receiver_count() > 0).then_some(PATIENCE)
}

impl Speaker {
    /// Has the worker wait for it.
    pub fn new() -> Self {
        Self(IS_LEAVING.subscribe())
    }

    /// Resolves when the worker is about to end.
    pub async fn told(&mut self) {
        // The sender is never dropped.
        let _ = self.0.wait_for(|is_leaving| *is_leaving).await;
    }
}
