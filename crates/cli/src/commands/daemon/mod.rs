//! The daemon.

pub mod command;
pub mod text;
