//! Documents.

pub mod command;
pub mod text;
