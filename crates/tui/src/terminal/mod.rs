//! The terminal: its modes, what it sends, and what is written to it. Bytes are read and written in
//! threads of their own, so that neither a slow nor a lost terminal ever holds the control room up.

mod burst;
mod cells;
mod clicks;
mod decode;
mod device;
pub mod encode;
mod hold;
mod input;
mod keys;
pub mod known;
mod modes;
mod panics;
mod read;
mod record;
mod scan;
mod signals;
mod thread;
mod tty;
mod write;

#[cfg(test)]
mod tests;

#[cfg(test)]
pub use device::bytes_between;
pub use device::{Drawn, Terminal};
pub use hold::Options;
pub use input::{Answer, Input, Signal};
pub use panics::install_panic_hook;
pub use record::Recorder;
pub use thread::Joined;
pub use tty::NotATerminal;
