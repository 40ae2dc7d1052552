//! The command line: what is written becomes calls of the daemon, and its answers become text.

pub mod exit;
pub mod output;
pub mod render;
pub mod source;
