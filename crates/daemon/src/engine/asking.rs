//! Waiting for the user. It ends with the answer, on timeout, with the asker, or with the daemon.
//! It waits for news and never polls the tables.

use std::sync::Arc;

use agent_worker_protocol::{
    AskPerson, Event, EventBody, Permission, PermissionRequest, QuestionId, RunId, RunState,
    question::{Asked, AskedState},
};
use tokio::{
    sync::{Semaphore, broadcast::Receiver},
    time::Instant,
};

use crate::{
    changes::{self, question::CALL_ENDED},
    context::{Credential, Cx, Run, store::heard},
    engine::app::App,
    error::OpError,
    rows::QuestionRow,
    rules::access::question,
};

/// Asks the person, and waits for the answer as long as an asker of tools has patience. Where no
/// place is free to wait in, the answer comes by mail.
pub async fn ask(
    app: &App,
    places: &Semaphore,
    credential: Credential,
    key: Option<String>,
    ask: AskPerson,
) -> Result<Asked, OpError> {
    let patience = app.store().settings().questions.wait.duration();
    let until = Instant::now() + patience;
    let (asked, mut wait) = begin(app, credential, key, ask, |asked| asked.id).await?;
    if asked.state != AskedState::Waiting {
        wait.is_over = true;
        return Ok(asked);
    }
    if let Ok(_place) = places.try_acquire() {
        tokio::select! {
            decided = wait.decided() => drop(decided?),
            () = tokio::time::sleep_until(until) => {}
            () = app.stopping().cancelled() => {}
        }
    }
    wait.leave().await
}

/// Asks for a permission and waits until it is decided. If the call is dropped before that, the
/// question is closed. A repeat of the call, which its key shows, then asks anew.
pub async fn request(
    app: &App,
    credential: Credential,
    mut key: Option<String>,
    request: PermissionRequest,
) -> Result<Permission, OpError> {
    loop {
        let request = request.clone();
        let (asked, mut wait) =
            begin(app, credential.clone(), key.clone(), request, |asked| asked.id).await?;
        if asked.allowed.is_some() {
            wait.is_over = true;
            return Ok(asked);
        }
        let decided = tokio::select! {
            decided = wait.decided() => decided.map(Some)?,
            () = app.closing().cancelled() => None,
        };
        wait.is_over = true;
        let row = decided.ok_or_else(OpError::shutting_down)?;
        let is_forsaken = row.expired_because.as_deref() == Some(CALL_ENDED);
        match &mut key {
            Some(key) if is_forsaken => key.push('+'),
            _ => return Ok(row.permission()),
        }
    }
}

/// Asks, and begins to wait. A call that is dropped before it hears of its question would leave it
/// open: here it is asked all the same, and then waited for no more.
async fn begin<O: Run>(
    app: &App,
    credential: Credential,
    key: Option<String>,
    op: O,
    id: fn(&O::Output) -> QuestionId,
) -> Result<(O::Output, Wait), OpError> {
    let app = app.clone();
    let asking = tokio::spawn(async move {
        let news = app.store().subscribe();
        let asked = app.call(credential.clone(), key, op).await?;
        let id = id(&asked);
        Ok((asked, Wait { app, credential, id, news, is_over: false }))
    });
    asking.await.unwrap_or_else(|_| Err(OpError::shutting_down()))
}

/// An asker that waits, and hears of its one question. If it ends before it has the answer, the
/// answer comes as a message, and a permission is no longer asked for.
struct Wait {
    app: App,
    credential: Credential,
    id: QuestionId,
    news: Receiver<Arc<Event>>,
    is_over: bool,
}

impl Wait {
    /// Resolves when the question is decided; with a refusal when the asker's run is over.
    async fn decided(&mut self) -> Result<QuestionRow, OpError> {
        loop {
            let id = self.id;
            let look = move |cx: &mut Cx<'_>| {
                let run = cx.run().map(|run| run.id);
                Ok((question::of_caller(cx, id)?, run))
            };
            let (row, run) = self.app.store().read(self.credential.clone(), look).await?;
            if !row.is_open() {
                return Ok(row);
            }
            if !heard(&mut self.news, |body| concerns(body, id, run)).await {
                return Err(OpError::shutting_down());
            }
        }
    }

    /// Waits no more.
    async fn leave(mut self) -> Result<Asked, OpError> {
        let id = self.id;
        let leave = move |cx: &mut Cx<'_>| changes::question::leave(cx, id);
        let left = self.app.store().write(self.credential.clone(), leave).await?;
        self.is_over = true;
        Ok(left)
    }
}

/// Whether a question may be decided, or the run that waits for it may be over.
fn concerns(body: &EventBody, id: QuestionId, by: Option<RunId>) -> bool {
    match body {
        EventBody::QuestionChanged(question) => question.id == id,
        EventBody::RunChanged(run) => {
            let is_at_work = matches!(run.state, RunState::Starting | RunState::Running);
            Some(run.id) == by && !is_at_work
        }
        EventBody::AgentRemoved { .. } => true,
        _ => false,
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let (app, id) = (self.app.clone(), self.id);
        tokio::spawn(async move {
            let forsake = move |cx: &mut Cx<'_>| changes::question::forsake_call(cx, id);
            // The token of the asker may be another by now.
            if let Err(error) = app.store().write(Credential::Daemon, forsake).await {
                tracing::debug!(%id, %error, "an asker that is gone");
            }
        });
    }
}
