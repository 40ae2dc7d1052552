//! Lets the backend of a run answer its prompt.

use agent_worker_protocol::{BackendConfig, BlockKind};

use super::{
    default, mock,
    program::{self, Program},
};
use crate::{failure::Failure, prompt::Prompt, session::Session, transcript::Transcript};

/// Lets the agent's backend answer.
pub async fn answer(session: &Session<'_>) -> Result<String, Failure> {
    tell(&session.prompt, Program::of(session.config).as_ref(), session.transcript);
    match &session.config.backend {
        BackendConfig::Default(config) => default::answer(session, config).await,
        BackendConfig::Mock { script, played } => mock::answer(session, script, played).await,
        BackendConfig::Program(_) => program::answer(session).await,
    }
}

/// Writes what the agent is asked into the transcript. A session that keeps its system prompt is
/// given only what has changed in that.
pub fn tell(prompt: &Prompt, program: Option<&Program<'_>>, transcript: &Transcript) {
    if let Some(program) = program.filter(|program| program.keeps_system()) {
        transcript.write(BlockKind::Prompt, None, &program.going_on(prompt));
        return;
    }
    if let Some(system) = &prompt.system {
        transcript.write(BlockKind::System, None, system);
    }
    transcript.write(BlockKind::Prompt, None, &prompt.text);
}
