//! Operations that tell how things stand.

pub mod event_log;
pub mod why;
