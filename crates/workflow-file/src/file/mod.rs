//! The workflow file: a team's agents, its setup, and its kickoff.

mod agent;
mod check;
mod heartbeat;
mod schedule;
mod values;
mod workflow;

#[cfg(test)]
mod tests;

pub use self::{
    agent::{AgentSpec, is_too_short},
    heartbeat::Heartbeat,
    schedule::Schedule,
    values::ENV,
    workflow::{Context, ContextProvider, Param, SetupStep, WorkflowFile, json_schema},
};
