//! What the tables want of a live run: its end, if somebody asked for it, and that it is let be
//! while it waits for the person.

use std::{pin::pin, sync::Arc};

use agent_worker_protocol::{
    event::{Event, EventBody},
    id::RunId,
    question::QuestionKind,
    run::RunState,
};
use tokio::{
    sync::broadcast::{Receiver, error::RecvError},
    time::Instant,
};

use crate::{
    context::{credential::Credential, cx::Cx},
    engine::app::App,
    error::OpError,
    rows::{question, run::RunRow},
    rules::ending::Failure,
};

/// The end that is asked for, and when.
pub type Due = (Instant, Failure);

/// What is wanted of a run.
pub enum Order {
    /// It is to be ended, for this reason.
    End(Failure),
    /// It waits for the person, or does so no more.
    Rest(bool),
}

/// Listens for the orders of one run. Dropping [`Orders::next`] loses nothing.
pub struct Orders {
    app: App,
    run: RunId,
    news: Receiver<Arc<Event>>,
    due: Option<Due>,
    /// Whether it was told to be let be
    rests: bool,
    /// Whether the table must be looked at
    is_stale: bool,
}

impl Orders {
    /// Listens from now on; what was asked for before is found in the table.
    pub fn new(app: &App, run: RunId) -> Self {
        let news = app.store().subscribe();
        Self { app: app.clone(), run, news, due: None, rests: false, is_stale: true }
    }

    /// Resolves when something else is wanted of the run than before.
    pub async fn next(&mut self) -> Order {
        loop {
            if self.is_stale {
                let looked = self.look().await;
                self.is_stale = false;
                match looked {
                    Ok((due, rests)) => {
                        self.due = due;
                        if rests != self.rests {
                            self.rests = rests;
                            return Order::Rest(rests);
                        }
                    }
                    Err(error) => tracing::warn!(run = %self.run, %error, "looking for orders"),
                }
            }
            let Some((at, failure)) = self.due.clone() else {
                self.hear().await;
                continue;
            };
            tokio::select! {
                () = tokio::time::sleep_until(at) => return Order::End(failure),
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
            // An end that was asked for may be taken back.
            EventBody::RunChanged(run) => {
                run.id == self.run && (run.end_by.is_some() || self.due.is_some())
            }
            EventBody::QuestionChanged(question) => {
                question.run == Some(self.run) && question.kind == QuestionKind::Permission
            }
            _ => false,
        }
    }

    async fn look(&self) -> Result<(Option<Due>, bool), OpError> {
        let id = self.run;
        let look = move |cx: &mut Cx<'_>| {
            Ok((RunRow::by_id(cx.db, id)?, question::is_held_up(cx.db, id)?, cx.now))
        };
        let (row, rests, now) = self.app.store().read(Credential::Daemon, look).await?;
        let is_open = matches!(row.state, RunState::Starting | RunState::Running);
        let (Some(by), Some(class), true) = (row.end_by, row.end_class, is_open) else {
            return Ok((None, rests));
        };
        let failure =
            Failure { class, error: row.end_error.unwrap_or_default(), retry_after: None };
        Ok((Some((Instant::now() + by.since(now), failure)), rests))
    }
}

/// Waits for what a run needs before its worker starts, unless the run is to end meanwhile.
pub async fn unless_ended<T>(
    app: &App,
    run: RunId,
    need: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let mut orders = Orders::new(app, run);
    let mut need = pin!(need);
    loop {
        tokio::select! {
            biased;
            met = &mut need => return met,
            order = orders.next() => if let Order::End(failure) = order {
                return Err(failure);
            },
        }
    }
}
