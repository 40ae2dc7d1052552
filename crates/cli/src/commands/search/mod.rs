//! Search.

pub mod command;
pub mod text;
