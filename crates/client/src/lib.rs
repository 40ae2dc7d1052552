//! Finds, starts and calls the daemon, follows its feed, and keeps a mirror of its state.

mod ask;
mod bridge;
mod call;
pub mod clean;
pub mod discovery;
mod error;
pub mod events;
#[cfg(test)]
mod fake;
mod link;
pub mod mirror;
mod output;
mod request;
#[cfg(test)]
mod script;
mod silence;
mod sse;

pub use ask::AskStream;
pub use bridge::Bridge;
pub use call::{Client, Endpoint, Scoped, fresh_key};
pub use clean::{Clean, is_unseen};
pub use discovery::{FindError, Home, Outdated, Version};
pub use error::ClientError;
pub use events::{Feed, FeedFilter, FeedItem};
pub use mirror::{Connection, Mirror, MirrorFeed};
pub use output::{OutputItem, RunOutput};

#[cfg(test)]
#[path = "../../../tests/cases.rs"]
mod cases;
