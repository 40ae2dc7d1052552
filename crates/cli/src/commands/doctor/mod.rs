//! Consistency checks.

pub mod command;
pub mod text;
