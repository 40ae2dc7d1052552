//! Settings: `agent-worker config`, and what other commands say of the file.

mod command;
mod warning;

pub use command::{Action, config, names, value};
pub use warning::{note, state};
