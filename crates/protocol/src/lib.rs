//! The words that agent-worker's daemon, workers and clients share: requests and their answers,
//! events, names, the grammar of mentions, the shape of a workflow file. Types only; what they
//! mean to the store is in the daemon.

pub mod error;
pub mod id;
pub mod mention;
pub mod name;
pub mod nearest;
pub mod op;
pub mod target;
pub mod time;
