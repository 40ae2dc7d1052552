//! Finds, starts and calls the daemon, and follows its feed.

pub mod clean;

pub use clean::Clean;
