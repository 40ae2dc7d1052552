//! How a run ended.

use agent_worker_protocol::Timestamp;

use crate::rows::EndCause;

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// How it failed; none if it succeeded
    pub failure: Option<Failure>,
    pub text: String,
    /// Whether it has sent, written or changed something
    pub acted: bool,
    /// Its worker's exit code
    pub exit: Option<i32>,
    /// The signal that ended its worker
    pub signal: Option<i32>,
    /// The last lines its worker wrote to standard error
    pub stderr: Option<String>,
    /// When it ended, if that was before it is noted
    pub at: Option<Timestamp>,
    /// From 0 to 1: spreads retries, so that agents that failed together do not come back together
    pub jitter: f64,
}

/// How a run failed.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// What follows from it
    pub class: EndCause,
    pub error: String,
    /// When to try again, in ms, as the model's service said
    pub retry_after: Option<i64>,
}

impl Failure {
    /// A failure whose service named no time to try again.
    pub fn new(class: EndCause, error: impl Into<String>) -> Self {
        Self { class, error: error.into(), retry_after: None }
    }
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Self { failure: Some(failure), ..Self::succeeded("") }
    }
}

impl Ended {
    /// It succeeded with this text, and with effects.
    pub fn succeeded(text: impl Into<String>) -> Self {
        Self {
            failure: None,
            text: text.into(),
            acted: true,
            exit: None,
            signal: None,
            stderr: None,
            at: None,
            jitter: 0.5,
        }
    }

    /// Whether it ended without a word and without an effect.
    pub fn is_silent(&self) -> bool {
        !self.acted && self.text.trim().is_empty()
    }

    pub fn failed(class: EndCause, error: impl Into<String>) -> Self {
        Failure::new(class, error).into()
    }
}
