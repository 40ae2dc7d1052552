//! The daemon.

pub mod command;
pub mod grace;
pub mod panic;
pub mod text;
