//! What the next run of an agent would be given: the prompt is composed as in a run, and nothing
//! else is done.

use agent_worker_protocol::{PreviewConfig, WorkerReport};

use crate::{
    backend::{self, Program},
    failure::Failure,
    history::History,
    reports::Reports,
    run::{at_home, composed},
    transcript::Transcript,
};

/// Tells the prompt as the beginning of a transcript.
pub fn preview(config: PreviewConfig, reports: &Reports) -> Result<WorkerReport, Failure> {
    let PreviewConfig { mut run, context } = config;
    at_home(&mut run)?;
    let history = History::of(&run);
    let program = Program::of(&run);
    let prompt = composed(&run, &context, &history, program.as_ref(), &[]);
    backend::tell(&prompt, program.as_ref(), &Transcript::new(reports.clone()));
    Ok(WorkerReport::Finished { text: String::new(), acted: false })
}
