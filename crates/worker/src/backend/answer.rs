//! Lets the backend of a run answer its prompt.

use agent_worker_protocol::{report::BackendConfig, run::BlockKind};

use super::{default::OwnLoop, mock::Mock, program};
use crate::{failure::Failure, session::Session};

/// Lets the agent's backend answer.
pub async fn answer(session: &Session<'_>) -> Result<String, Failure> {
    if let Some(system) = &session.prompt.system {
        session.transcript.write(BlockKind::System, None, system);
    }
    session.transcript.write(BlockKind::Prompt, None, &session.prompt.text);
    match &session.config.backend {
        BackendConfig::Default(config) => OwnLoop::new(config).answer(session).await,
        BackendConfig::Mock { script, played } => Mock::new(script, played)?.answer(session).await,
        BackendConfig::Program(_) => program::answer(session).await,
    }
}
