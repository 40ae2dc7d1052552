//! One question to one agent.

pub mod command;
mod lines;
pub mod waiting;
