//! Causes.

pub mod command;
pub mod text;
