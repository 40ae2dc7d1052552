//! What the tables want of a live run: its end, if somebody asked for it.

use std::sync::Arc;

use agent_worker_protocol::{
    event::{Event, EventBody},
    id::RunId,
    run::RunState,
};
use tokio::{
    sync::broadcast::{Receiver, error::RecvError},
    time::Instant,
};

use crate::{
    app::App,
    ops::{Credential, Cx, OpError, finish::Failure, run::RunRow},
};

/// The end that is asked for, and when.
type Due = (Instant, Failure);

/// Listens for the end of one run. Dropping [`Orders::next`] loses nothing.
pub struct Orders {
    app: App,
    run: RunId,
    news: Receiver<Arc<Event>>,
    due: Option<Due>,
    /// Whether the table must be looked at
    is_stale: bool,
}

impl Orders {
    /// Listens from now on; what was asked for before is found in the table.
    pub fn new(app: &App, run: RunId) -> Self {
        let news = app.store().subscribe();
        Self { app: app.clone(), run, news, due: None, is_stale: true }
    }

    /// Resolves when the run is to be ended, with the reason.
    pub async fn next(&mut self) -> Failure {
        loop {
            if self.is_stale {
                match self.look().await {
                    Ok(due) => self.due = due,
                    Err(error) => tracing::warn!(run = %self.run, %error, "looking for orders"),
                }
                self.is_stale = false;
            }
            let Some((at, failure)) = self.due.clone() else {
                self.hear().await;
                continue;
            };
            tokio::select! {
                () = tokio::time::sleep_until(at) => return failure,
                () = self.hear() => {}
            }
        }
    }

    /// Waits for news of the run that may hold an order.
    async fn hear(&mut self) {
        loop {
            match self.news.recv().await {
                Ok(event) if !self.concerns(&event) => {}
                Ok(_) | Err(RecvError::Lagged(_)) => break,
                // The store is gone, and the daemon with it.
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
        self.is_stale = true;
    }

    fn concerns(&self, event: &Event) -> bool {
        match &event.body {
            EventBody::RunChanged(run) => run.id == self.run && run.end_by.is_some(),
            _ => false,
        }
    }

    async fn look(&self) -> Result<Option<Due>, OpError> {
        let id = self.run;
        let look = move |cx: &mut Cx<'_>| Ok((RunRow::by_id(cx.conn, id)?, cx.now));
        let (row, now) = self.app.store().read(Credential::Daemon, look).await?;
        let is_open = matches!(row.state, RunState::Starting | RunState::Running);
        let (Some(by), Some(class), true) = (row.end_by, row.end_class, is_open) else {
            return Ok(None);
        };
        let failure =
            Failure { class, error: row.end_error.unwrap_or_default(), retry_after: None };
        Ok(Some((Instant::now() + by.since(now), failure)))
    }
}
