//! The loop, and whatever reads the clock, the disk, the network or the terminal.

mod awaited;
pub mod config;
mod config_text;
mod connection;
mod daemons;
mod depth;
pub mod dump;
mod editor;
mod files;
pub mod linear;
mod options;
mod perform;
mod pieces;
mod queue;
mod room;
mod start;
mod storage;

pub use options::{Collect, Ended, Options};
pub use room::run;
#[cfg(any(test, feature = "figures"))]
pub use start::initial;
