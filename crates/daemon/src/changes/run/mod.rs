//! A run from its claim to its end.

pub mod batch;
pub mod finish;
pub mod lease;
pub mod progress;
pub mod reply;
pub mod session;
