//! Agents: create, stop, resume, wake, remove.

pub mod command;
pub mod create;
mod each;
pub mod text;
