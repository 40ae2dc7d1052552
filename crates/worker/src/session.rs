//! What a backend has to work with.

use agent_worker_protocol::report::RunConfig;

use crate::{
    acts::Acts, context::Context, history::History, own_tools::OwnTools, prompt::Prompt,
    reports::Reports, tools::Tools, transcript::Transcript,
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
