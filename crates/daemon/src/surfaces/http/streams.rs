//! How many streams, and answers that are waited for, there may be at once. The person and the
//! runs are counted apart, so that no run can keep the person from looking.

use std::sync::Arc;

use agent_worker_protocol::ErrorCode;
use axum::{
    Extension,
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use tokio::sync::Semaphore;

use crate::surfaces::{
    answer::{Refusal, refuse},
    gate::Identity,
    http::crowd::holding,
};

/// The places that are free.
#[derive(Clone)]
pub struct Streams {
    person: Arc<Semaphore>,
    runs: Arc<Semaphore>,
}

impl Streams {
    /// At most `most` for the user, and as many for all runs together.
    pub fn of(most: usize) -> Self {
        let places = || Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)));
        Self { person: places(), runs: places() }
    }

    /// The places of all runs.
    pub fn of_runs(&self) -> Arc<Semaphore> {
        self.runs.clone()
    }
}

/// Lets a request through if a place is free, which it has until its answer has ended.
pub async fn bound(
    State(streams): State<Streams>,
    Extension(identity): Extension<Identity>,
    request: Request,
    next: Next,
) -> Result<Response, Refusal> {
    let places = match identity {
        Identity::Operator => streams.person,
        Identity::Run(_) => streams.runs,
    };
    let all_taken = |_| {
        refuse(ErrorCode::Busy, "too many streams are open at once")
            .hint("close one; `streams` in config.toml says how many there may be")
    };
    let place = places.try_acquire_owned().map_err(all_taken)?;
    let answer = next.run(request).await;
    Ok(answer.map(|body| holding(body, place)))
}
