//! What is made of an answer that does not come, or that says no.

use std::{error::Error, time::Duration};

use tokio::time::sleep;

use crate::failure::{Failure, chain};

/// Delays before a call is repeated whose answer was lost.
const DELAYS: [Duration; 6] = [
    Duration::from_millis(20),
    Duration::from_millis(60),
    Duration::from_millis(150),
    Duration::from_millis(300),
    Duration::from_millis(500),
    Duration::from_millis(900),
];

/// Why no answer came.
#[derive(Debug, thiserror::Error)]
#[error("`{what}`: no answer from the daemon: {why}")]
pub struct NoAnswer {
    pub what: String,
    pub why: String,
    pub may_repeat: bool,
}

impl NoAnswer {
    pub(super) fn new(what: &str, error: &dyn Error, may_repeat: bool) -> Self {
        Self { what: what.to_owned(), why: chain(error), may_repeat }
    }
}

/// Makes an attempt, and makes it again after a while where only its answer was lost.
pub async fn again<T>(
    mut attempt: impl AsyncFnMut() -> Result<T, NoAnswer>,
) -> Result<T, NoAnswer> {
    let mut delays = DELAYS.iter();
    loop {
        match (attempt().await, delays.next()) {
            (Err(lost), Some(delay)) if lost.may_repeat => sleep(*delay).await,
            (done, _) => return done,
        }
    }
}

/// Why an operation was not done.
#[derive(Debug, thiserror::Error)]
pub enum NotDone {
    /// The daemon refused it.
    #[error("the daemon refused `{op}`: {text}")]
    Refused { op: &'static str, text: String },
    #[error(transparent)]
    NoAnswer(#[from] NoAnswer),
    /// The daemon speaks another version of this language.
    #[error("what the daemon answered to `{op}` makes no sense: {why}")]
    Garbled {
        op: &'static str,
        /// Reason.
        why: serde_json::Error,
    },
}

impl From<NoAnswer> for Failure {
    fn from(lost: NoAnswer) -> Self {
        Self::transient(lost.to_string())
    }
}

impl From<NotDone> for Failure {
    fn from(not_done: NotDone) -> Self {
        Self::transient(not_done.to_string())
    }
}
