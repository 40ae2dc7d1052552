//! Conversations: what is said, and what you say.

pub mod command;
pub mod send;
pub mod text;
