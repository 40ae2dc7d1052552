//! Conversations: read and send messages.

pub mod command;
pub mod send;
pub mod text;
