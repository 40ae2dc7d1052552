//! The daemon's state as a client keeps it: a snapshot, and every event after it. Nothing here
//! waits, reads a clock or asks anybody.

mod feed;
mod read;
mod runs;
mod seen;
mod state;
mod take;

#[cfg(test)]
mod tests;

pub use feed::{Connection, MirrorFeed, Next};
pub use state::Mirror;
