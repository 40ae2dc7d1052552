//! What the next run of an agent would be given.

pub mod command;
pub mod text;
