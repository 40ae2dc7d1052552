//! A run from its claim to its end.

pub mod batch;
pub mod budget;
pub mod claim;
pub mod end;
pub mod finish;
pub mod lease;
pub mod outside;
pub mod progress;
pub mod reply;
pub mod session;
pub mod transcript;
