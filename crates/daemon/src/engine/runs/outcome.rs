//! What a followed run can come to, and limits of what workers report.

use std::{path::Path, process::ExitStatus, sync::Arc};

use agent_worker_protocol::{FailureClass, RunId};
use tokio::time::Instant;

use crate::{
    changes::run::progress::{self, Progress},
    context::Cx,
    error::OpError,
    fail_points::reach,
    fault::if_there,
    rows::EndCause,
    rules::ending::Failure,
};

/// Removes the temporary files of a worker's program, if the worker could not.
pub async fn remove_scratch(scratch: Option<&Path>) {
    let Some(scratch) = scratch else { return };
    if let Err(error) = if_there(tokio::fs::remove_dir_all(scratch).await) {
        tracing::warn!(folder = %scratch.display(), %error, "temporary files are left");
    }
}

/// How long turns may be that a worker adds to its session at once, in bytes.
pub const MOST_TURNS: usize = 16 << 20;

/// How long one turn of a session may be, in bytes: four times what a worker keeps of one.
pub const LONGEST_TURN: usize = 1 << 20;

/// How much is kept of what a failed worker says, in bytes.
pub const LONGEST_ERROR: usize = 8 * 1024;

/// What a worker says last.
pub enum Terminal {
    Finished { text: String, acted: bool },
    Failed(Failure),
}

/// Why a run is ended before its worker is done.
pub enum Stop {
    /// The worker has ended by itself, or said its last word.
    Done,
    /// It is to be ended.
    Failure(Failure),
}

pub fn note(
    run: RunId,
    progress: Arc<Progress>,
) -> impl FnMut(&mut Cx<'_>) -> Result<(), OpError> + Clone + Send + 'static {
    move |cx| {
        progress::note(cx, run, &progress)?;
        if progress.process.is_some() {
            reach("spawn.noted");
        }
        Ok(())
    }
}

/// Only the daemon ends a run as lost, cancelled or over budget.
pub fn believed(class: FailureClass) -> EndCause {
    match class {
        FailureClass::Lost | FailureClass::Cancelled | FailureClass::OverBudget => {
            EndCause::Transient
        }
        class => class.into(),
    }
}

pub fn how(status: ExitStatus) -> (Option<i32>, Option<i32>) {
    (status.code(), std::os::unix::process::ExitStatusExt::signal(&status))
}

/// What an agent does whose next step the model decides.
pub const MODEL: &str = "waiting for the model";

/// Waits until a time; forever if `None`.
pub async fn wait_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
