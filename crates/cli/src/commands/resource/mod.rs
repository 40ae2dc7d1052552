//! Resources.

pub mod command;
pub mod text;
