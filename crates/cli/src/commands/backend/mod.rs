//! What runs agents.

pub mod command;
pub mod text;
