//! Enters messages and stores the words of what can be found: after the change that brought it, in
//! batches, so that a send does not pay for them.

use std::time::Duration;

use crate::{context::Credential, engine::app::App, error::OpError, rows::search::index};

/// How many messages are entered, and entries have their words stored, in one transaction: a send
/// that comes after them is not to wait long.
const BATCH: u32 = 512;

/// How long changes are gathered before their words are stored.
const TOGETHER: Duration = Duration::from_millis(50);

/// Works until the daemon is told to stop; then nothing is left.
pub async fn run(app: App) {
    let mut latest = app.store().latest();
    loop {
        if let Err(error) = catch_up(&app).await {
            tracing::warn!(%error, "storing words for the search");
        }
        if app.stopping().is_cancelled() {
            return;
        }
        let gathered = async {
            let is_open = latest.changed().await.is_ok();
            tokio::time::sleep(TOGETHER).await;
            is_open
        };
        tokio::select! {
            () = app.stopping().cancelled() => {}
            is_open = gathered => if !is_open { return },
        }
    }
}

async fn catch_up(app: &App) -> Result<(), OpError> {
    while app.is_index_behind().await? {
        app.store().write(Credential::Daemon, |cx| index::catch_up(cx.db, BATCH)).await?;
    }
    Ok(())
}
