//! One question to one agent.

pub mod command;
mod lines;
mod shown;
pub mod waiting;
