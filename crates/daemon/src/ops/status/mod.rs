//! Operations that tell the state of the daemon and its work.

pub mod attention;
pub mod daemon;
pub mod event_log;
pub mod why;
