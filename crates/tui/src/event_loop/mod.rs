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
mod layouts;
pub mod linear;
mod noted;
mod options;
mod perform;
mod pieces;
mod queue;
mod room;
mod start;
mod storage;
mod unsaved;

pub use options::{Collect, Ended, Options};
pub use room::run;
#[cfg(any(test, feature = "figures"))]
pub use start::initial;
