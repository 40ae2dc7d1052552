//! Agents: create, stop, resume, wake, remove.

pub mod command;
pub mod create;
mod each;
mod ending;
pub mod text;
