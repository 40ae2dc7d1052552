//! What a backend has to work with.

use agent_worker_protocol::{Context, RunConfig};

use crate::{
    acts::Acts, history::History, own_tools::OwnTools, prompt::Prompt, reports::Reports,
    tools::Tools, transcript::Transcript,
};

/// What a backend has to work with.
pub struct Session<'a> {
    /// Configuration of the run.
    pub config: &'a RunConfig,
    /// What the prompt was made from.
    pub context: Context,
    /// History of earlier runs, if it is kept.
    pub history: History,
    /// Messages to answer.
    pub prompt: Prompt,
    pub tools: Tools,
    /// The tools that are the agent's own.
    pub own_tools: OwnTools,
    /// Whether it has had an effect.
    pub acts: Acts,
    /// Where all that happens is written.
    pub transcript: &'a Transcript,
    /// Receiver of usage.
    pub reports: &'a Reports,
}
