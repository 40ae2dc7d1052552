//! One question to one agent.

pub mod command;
pub mod waiting;
