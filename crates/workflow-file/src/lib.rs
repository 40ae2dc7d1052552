//! The files that people write for agent-worker: workflow files, mock scripts and the templates in
//! them, read so that every mistake is told with its position; how values are quoted for a shell;
//! the providers of models that are known, and what their models cost.

pub mod prices;
pub mod providers;
pub mod script;
pub mod shell;
pub mod template;
pub mod yaml;

mod file;

pub use file::{
    AgentSpec, Context, ContextProvider, ENV, Heartbeat, Param, Schedule, SetupStep, WorkflowFile,
    is_too_short, json_schema,
};

#[cfg(test)]
#[path = "../../../tests/cases.rs"]
mod cases;
