//! Finds, starts and calls the daemon, and follows its feed.

mod call;
pub mod clean;
mod error;
#[cfg(test)]
mod fake;
mod request;

pub use call::{Client, Endpoint, Scoped, fresh_key};
pub use clean::Clean;
pub use error::ClientError;
