//! TODO

pub mod attention;
pub mod daemon;
pub mod event_log;
pub mod why;
