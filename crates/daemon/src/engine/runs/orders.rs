//! What the tables want of a live run: its end, if one was requested, and no deadlines while it
//! waits for the user.

use std::{pin::pin, sync::Arc};

use agent_worker_protocol::{Event, EventBody, QuestionKind, RunId, RunState};
use tokio::{sync::broadcast::Receiver, time::Instant};

use crate::{
    context::{Credential, Cx, Store, store::heard},
    engine::{app::App, retry::PAUSE, runs::outcome::wait_until},
    error::OpError,
    rows::{RunRow, question},
    rules::ending::Failure,
};

/// The end that is asked for, and when.
type Due = (Instant, Failure);

/// What is wanted of a run.
pub enum Order {
    /// It is to be ended, for this reason.
    End(Failure),
    /// It waits for the person, or does so no more.
    Rest(bool),
}

/// Listens for the orders of one run. Dropping [`Orders::next`] loses nothing.
pub struct Orders {
    store: Store,
    run: RunId,
    news: Receiver<Arc<Event>>,
    due: Option<Due>,
    /// Whether it was told to be let be
    rests: bool,
    /// When the table must be looked at, if it must be
    look_at: Option<Instant>,
}

impl Orders {
    /// Listens from now on; what was asked for before is found in the table.
    pub fn new(store: &Store, run: RunId) -> Self {
        let (news, look_at) = (store.subscribe(), Some(Instant::now()));
        Self { store: store.clone(), run, news, due: None, rests: false, look_at }
    }

    /// Resolves when something else is wanted of the run than before.
    pub async fn next(&mut self) -> Order {
        loop {
            if self.look_at.is_some_and(|at| at <= Instant::now()) {
                match self.look().await {
                    Ok((due, rests)) => {
                        (self.due, self.look_at) = (due, None);
                        if rests != self.rests {
                            self.rests = rests;
                            return Order::Rest(rests);
                        }
                    }
                    Err(error) => {
                        tracing::warn!(run = %self.run, %error, "looking for orders");
                        // What was missed is not told again.
                        self.look_at = Some(Instant::now() + PAUSE);
                    }
                }
            }
            let (due, look_at) = (self.due.clone(), self.look_at);
            tokio::select! {
                failure = end(due) => return Order::End(failure),
                () = wait_until(look_at) => {}
                () = self.hear() => {}
            }
        }
    }

    /// Waits for news of the run that may hold an order.
    async fn hear(&mut self) {
        let (id, is_due) = (self.run, self.due.is_some());
        let concerns = |body: &EventBody| match body {
            // An end that was asked for may be taken back.
            EventBody::RunChanged(run) => run.id == id && (run.end_by.is_some() || is_due),
            EventBody::QuestionChanged(question) => {
                question.run == Some(id) && question.kind == QuestionKind::Permission
            }
            _ => false,
        };
        if !heard(&mut self.news, concerns).await {
            // The store is gone, and the daemon with it.
            std::future::pending::<()>().await;
        }
        self.look_at = Some(Instant::now());
    }

    async fn look(&self) -> Result<(Option<Due>, bool), OpError> {
        let id = self.run;
        let look = move |cx: &mut Cx<'_>| {
            Ok((RunRow::by_id(cx.db, id)?, question::is_held_up(cx.db, id)?, cx.now))
        };
        let (row, rests, now) = self.store.read(Credential::Daemon, look).await?;
        let is_open = matches!(row.state, RunState::Starting | RunState::Running);
        let (Some(by), Some(class), true) = (row.end_by, row.end_class, is_open) else {
            return Ok((None, rests));
        };
        let failure = Failure::new(class, row.end_error.unwrap_or_default());
        Ok((Some((Instant::now() + by.since(now), failure)), rests))
    }
}

/// Waits for the end that is asked for, if one is.
async fn end(due: Option<Due>) -> Failure {
    match due {
        Some((at, failure)) => {
            tokio::time::sleep_until(at).await;
            failure
        }
        None => std::future::pending().await,
    }
}

/// Waits for what a run needs before its worker starts, unless the run is to end meanwhile.
pub async fn unless_ended<T>(
    app: &App,
    run: RunId,
    need: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let mut orders = Orders::new(app.store(), run);
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

#[cfg(test)]
#[path = "tests/orders.rs"]
mod tests;
