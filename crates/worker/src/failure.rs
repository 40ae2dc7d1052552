//! How a run fails, and the text of its error.

use std::{error::Error, io, iter::successors};

use agent_worker_process::is_shortage;
use agent_worker_protocol::{FailureClass, Interval, RunConfig, Tag, WorkerReport};

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

    /// What the system refused, for this reason. A shortage in it is not the agent's fault: it uses
    /// no attempt.
    pub fn of_system(refused: &io::Error, told: String) -> Self {
        let passes = is_shortage(refused);
        let class = if passes { FailureClass::Unavailable } else { FailureClass::Transient };
        Self::new(class, told)
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

/// Returns how a setting of the agent is changed, to follow the words that say what is changed. A
/// live workflow reads its file only when it is started again, so `resume` is not enough. In
/// `@global` no agent is of a file.
pub fn in_file(run: &RunConfig) -> String {
    let (agent, scope) = (&run.agent, &run.scope);
    if scope.is_global() {
        return format!("with agent-worker rm {agent} and agent-worker new {agent}");
    }
    let tag = Some(&scope.tag).filter(|tag| tag.as_str() != Tag::MAIN);
    let tag = tag.map(|tag| format!(" and --tag {tag}")).unwrap_or_default();
    format!(
        "in its workflow file, then agent-worker stop {scope} and agent-worker start (or run) \
         with that file{tag}"
    )
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

#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::*;
    use crate::prompt;

    #[test]
    fn a_shortage_in_the_system_uses_no_attempt() {
        for (errno, class) in [
            (Errno::AGAIN, FailureClass::Unavailable),
            (Errno::MFILE, FailureClass::Unavailable),
            (Errno::INVAL, FailureClass::Transient),
        ] {
            let failure = Failure::of_system(&errno.into(), "it cannot begin".to_owned());
            assert_eq!(failure.class, class, "{errno}");
        }
    }

    #[test]
    fn a_setting_is_changed_where_the_agent_was_made() {
        let mut run = prompt::tests::config();
        let mut told = |scope: &str| {
            run.scope = scope.parse().unwrap();
            in_file(&run)
        };
        let start =
            "in its workflow file, then agent-worker stop @q and agent-worker start (or run)";
        assert_eq!(told("@q"), format!("{start} with that file"));
        let tagged = start.replace("@q", "@q:pr-1");
        assert_eq!(told("@q:pr-1"), format!("{tagged} with that file and --tag pr-1"));
        assert_eq!(told("@global"), "with agent-worker rm alice and agent-worker new alice");
    }
}
