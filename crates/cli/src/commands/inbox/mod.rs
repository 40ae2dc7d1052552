//! Inboxes.

pub mod command;
pub mod text;
