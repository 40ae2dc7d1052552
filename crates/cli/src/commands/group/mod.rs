//! Groups.

pub mod command;
pub mod text;
