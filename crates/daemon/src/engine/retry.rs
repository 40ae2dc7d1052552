//! Reads and writes that must not fail: how a run or a setup stands, and how it has ended. While
//! the disk is full, writes wait, and delay nothing else.

use std::time::Duration;

use crate::{
    context::{Credential, Cx, Store},
    engine::app::App,
    error::OpError,
};

/// Delay before a retry; nothing announces free space, or a file that can be read again.
pub const PAUSE: Duration = Duration::from_secs(1);

/// Does `work` as the daemon, when there is room for it. A daemon that is told to end waits no
/// longer: the next one finds the run or the setup as it was, and takes it for lost.
pub async fn insist<T: Send + 'static>(
    app: &App,
    work: impl FnMut(&mut Cx<'_>) -> Result<T, OpError> + Clone + Send + 'static,
) -> Result<T, OpError> {
    loop {
        let done = app.store().write(Credential::Daemon, work.clone()).await;
        if !done.as_ref().is_err_and(OpError::is_full) {
            return done;
        }
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            () = app.stopping().cancelled() => return done,
        }
    }
}

/// Reads as the daemon until it succeeds, and logs each failure.
pub async fn read<T: Send + 'static>(
    store: &Store,
    look: impl FnMut(&mut Cx<'_>) -> Result<T, OpError> + Clone + Send + 'static,
) -> T {
    loop {
        match store.read(Credential::Daemon, look.clone()).await {
            Ok(found) => return found,
            Err(error) => tracing::warn!(%error, "reading the database"),
        }
        tokio::time::sleep(PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use super::*;
    use crate::{clock::Clock, context::surroundings::Surroundings, settings::Settings};

    #[tokio::test(start_paused = true)]
    async fn a_read_that_fails_is_tried_again() {
        let settings = Arc::new(Settings::default());
        let (store, _) = Store::memory(Surroundings::new(Clock::System, settings)).unwrap();
        let tries = Arc::new(AtomicUsize::new(0));
        let count = tries.clone();
        let look = move |_: &mut Cx<'_>| match count.fetch_add(1, Ordering::Relaxed) {
            0 | 1 => Err(OpError::Broken("the disk fails".to_owned())),
            _ => Ok("there"),
        };
        assert_eq!(read(&store, look).await, "there");
        assert_eq!(tries.load(Ordering::Relaxed), 3);
    }
}
