//! What answers a prompt: each backend in a file of its own, behind one trait.

mod default;
mod mock;
mod program;
mod telling;

pub use self::program::Program;

use agent_worker_protocol::{
    report::{BackendConfig, RunConfig, WorkerReport},
    run::{BlockKind, FailureClass},
    time::Interval,
};

use crate::{
    acts::Acts,
    context::Context,
    history::History,
    own_tools::OwnTools,
    prompt::Prompt,
    reports::Reports,
    tools::{NoAnswer, NotDone, Tools},
    transcript::Transcript,
};

/// What a backend has to work with.
pub struct Session<'a> {
    /// Whose run it is.
    pub config: &'a RunConfig,
    /// What the prompt was made from.
    pub context: Context,
    /// What was said and done in earlier runs, if that is kept.
    pub history: History,
    /// What is to be answered.
    pub prompt: Prompt,
    /// The daemon's tools.
    pub tools: Tools,
    /// The tools that are the agent's own.
    pub own_tools: OwnTools,
    /// Whether it has had an effect.
    pub acts: Acts,
    /// Where all that happens is written.
    pub transcript: &'a Transcript,
    /// Where is told what was used up.
    pub reports: &'a Reports,
}

/// Something that answers prompts.
trait Backend {
    /// Works until there is a final text. All that happens on the way goes to the transcript.
    async fn answer(self, session: &Session<'_>) -> Result<String, Failure>;
}

/// Lets the agent's backend answer.
pub async fn answer(session: &Session<'_>) -> Result<String, Failure> {
    if let Some(system) = &session.prompt.system {
        session.transcript.write(BlockKind::System, None, system);
    }
    session.transcript.write(BlockKind::Prompt, None, &session.prompt.text);
    match &session.config.backend {
        BackendConfig::Default(config) => default::OwnLoop::new(config).answer(session).await,
        BackendConfig::Mock { script, played } => {
            mock::Mock::new(script, played)?.answer(session).await
        }
        BackendConfig::Program(_) => program::answer(session).await,
    }
}

/// How a run failed.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// What kind of failure it is: what follows is decided by it.
    pub class: FailureClass,
    /// What happened.
    pub error: String,
    /// When to try again, as the service said.
    pub retry_after: Option<Interval>,
}

impl Failure {
    /// One that says nothing of when to try again.
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

impl From<NoAnswer> for Failure {
    fn from(lost: NoAnswer) -> Self {
        Self::new(FailureClass::Transient, lost.to_string())
    }
}

impl From<NotDone> for Failure {
    fn from(not_done: NotDone) -> Self {
        Self::new(FailureClass::Transient, not_done.to_string())
    }
}
