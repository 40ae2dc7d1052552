//! How a run fails, and the text of its error.

use std::{error::Error, iter::successors};

use agent_worker_protocol::{report::WorkerReport, run::FailureClass, time::Interval};

/// How a run failed.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// What kind of failure it is: what follows is decided by it.
    pub class: FailureClass,
    pub error: String,
    /// When to try again, as the service said.
    pub retry_after: Option<Interval>,
}

impl Failure {
    /// A failure that trying again may mend.
    pub fn transient(error: impl Into<String>) -> Self {
        Self::new(FailureClass::Transient, error)
    }

    /// A failure that trying again does not mend.
    pub fn permanent(error: impl Into<String>) -> Self {
        Self::new(FailureClass::Permanent, error)
    }

    /// A failure without a time for the next try.
    pub fn new(class: FailureClass, error: impl Into<String>) -> Self {
        Self { class, error: error.into(), retry_after: None }
    }
}

impl From<Failure> for WorkerReport {
    fn from(failure: Failure) -> Self {
        let Failure { class, error, retry_after } = failure;
        Self::Failed { class, error, retry_after }
    }
}

/// An error with all that it comes from.
pub fn chain(error: &dyn Error) -> String {
    let mut told = error.to_string();
    for cause in successors(error.source(), |&cause| cause.source()) {
        let cause = cause.to_string();
        // Many repeat their cause in their own words.
        if !told.contains(&cause) {
            told = format!("{told}: {cause}");
        }
    }
    told
}
