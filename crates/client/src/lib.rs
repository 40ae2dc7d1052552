//! Finds, starts and calls the daemon, follows its feed, and keeps a mirror of its state.

mod ask;
mod bridge;
mod call;
pub mod discovery;
mod error;
pub mod events;
mod far_end;
mod feed_filter;
pub mod files;
mod link;
pub mod mirror;
mod output;
pub mod remote;
mod request;
pub mod sanitize;
mod silence;
mod sse;
#[cfg(test)]
mod tests;
pub mod text;
mod transport;

pub use ask::AskStream;
pub use bridge::Bridge;
pub use call::{Client, Endpoint, Gone, Revive, fresh_key};
pub use discovery::{FindError, Home, Outdated, Version};
pub use error::ClientError;
pub use events::{Feed, FeedItem};
pub use far_end::serve as serve_far_end;
pub use feed_filter::FeedFilter;
pub use link::Relocate;
pub use mirror::{Connection, Mirror, MirrorFeed};
pub use output::{OutputItem, RunOutput};
pub use remote::Host;
pub use request::Scoped;
pub use sanitize::{
    self as clean, LOOK_ALIKE, Sanitized, Sanitized as Clean, is_unseen, look_alike,
};

#[cfg(test)]
#[path = "../../../tests/cases.rs"]
mod cases;
