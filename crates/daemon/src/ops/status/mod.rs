//! TODO

pub mod attention;
pub mod event_log;
pub mod status;
pub mod why;
