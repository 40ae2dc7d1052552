//! Changes of a home that a repeated request does not make again.

use agent_worker_home::{Home, HomeError};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    context::{Credential, Cx, Store, repeat},
    engine::{app::App, home::at::HomeAt},
    error::OpError,
    rows::idempotency,
};

/// The answer that is kept for a repeat of a request. Its calls block.
pub struct Kept {
    store: Store,
    caller: Credential,
    key: String,
    request: [u8; 32],
}

impl Kept {
    /// `None` for a request without an idempotency key.
    pub fn of(
        app: &App,
        caller: &Credential,
        key: Option<String>,
        (name, request): (&str, &impl Serialize),
    ) -> Result<Option<Self>, OpError> {
        let Some(key) = key else { return Ok(None) };
        let request = repeat::request_hash(name, request)?;
        Ok(Some(Self { store: app.store().clone(), caller: caller.clone(), key, request }))
    }

    fn find<T: DeserializeOwned>(&self) -> Result<Option<T>, OpError> {
        let (key, request) = (self.key.clone(), self.request);
        let look = move |cx: &mut Cx<'_>| cx.stored_answer(&key, &request);
        let answer = self.store.blocking_write(self.caller.clone(), look)?;
        let read = |answer: String| serde_json::from_str(&answer).map_err(|error| broken(&error));
        answer.map(read).transpose()
    }

    fn keep(&self, done: &impl Serialize) -> Result<(), OpError> {
        let answer = serde_json::to_string(done).map_err(|error| broken(&error))?;
        let (key, request) = (self.key.clone(), self.request);
        let keep = move |cx: &mut Cx<'_>| {
            // The home is changed: another request that took the key meanwhile changes nothing.
            match idempotency::find(cx.db, &cx.principal()?, &key)? {
                None => cx.store_answer(&key, &request, &answer),
                Some(_) => Ok(()),
            }
        };
        self.store.blocking_write(self.caller.clone(), keep)
    }
}

fn broken(error: &serde_json::Error) -> OpError {
    OpError::Broken(format!("an answer: {error}"))
}

/// Changes a home once for each key of a caller. A repeat gets the answer of the first request,
/// unless the daemon was killed between the change and the answer.
pub async fn change<T: Serialize + DeserializeOwned + Send + 'static>(
    app: &App,
    at: HomeAt,
    kept: Option<Kept>,
    work: impl FnOnce(&Home) -> Result<Result<T, OpError>, HomeError> + Send + 'static,
) -> Result<T, OpError> {
    // All in the home's lock, also when the caller leaves: its repeat waits and finds the answer.
    let once = move |home: &Home| {
        let Some(kept) = kept else { return work(home) };
        if let Some(known) = kept.find().transpose() {
            return Ok(known);
        }
        let done = work(home)?;
        Ok(done.and_then(|answer| kept.keep(&answer).map(|()| answer)))
    };
    at.open(app, once).await?
}
