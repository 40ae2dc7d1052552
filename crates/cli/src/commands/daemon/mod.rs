//! The daemon.

pub mod command;
pub mod grace;
pub mod text;
