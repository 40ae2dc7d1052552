//! Stores the words of what can be found: after the change that brought it, in batches, so that a
//! send does not pay for them.

use std::time::Duration;

use crate::{context::credential::Credential, engine::app::App, rows::search::index};

/// How many entries have their words stored in one transaction: so few that a send that comes after
/// them does not wait long.
const BATCH: u32 = 128;

/// How much comes together before it is stored, and how long a failure is waited out.
const TOGETHER: Duration = Duration::from_millis(50);

/// Works until the daemon is told to stop. What is left then is stored by the next one.
pub async fn run(app: App) {
    let mut latest = app.store().latest();
    let mut is_behind = true;
    loop {
        if !is_behind {
            let news = tokio::select! {
                () = app.stopping().cancelled() => return,
                news = latest.changed() => news,
            };
            if news.is_err() {
                return;
            }
        }
        tokio::select! {
            () = app.stopping().cancelled() => return,
            () = tokio::time::sleep(TOGETHER) => {}
        }
        latest.mark_unchanged();
        while !app.stopping().is_cancelled() {
            let batch = app.store().write(Credential::Daemon, |cx| {
                index::catch_up(cx.db, BATCH)?;
                index::is_behind(cx.db)
            });
            match batch.await {
                Ok(true) => {}
                Ok(false) => {
                    is_behind = false;
                    break;
                }
                Err(error) => {
                    tracing::warn!(%error, "storing words for the search");
                    is_behind = true;
                    break;
                }
            }
        }
    }
}
