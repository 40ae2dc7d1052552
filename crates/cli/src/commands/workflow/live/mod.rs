//! A workflow as it happens, on a terminal.

mod answers;
mod board;
mod narrator;
mod screen;
mod signals;
mod watch;

pub use signals::{Signal, Signals};
pub use watch::{Happening, Watch};
