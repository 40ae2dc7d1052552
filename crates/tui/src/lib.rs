//! The control room: a screen of the daemon's state, kept true by its feed.

pub mod key;
pub mod paint;
pub mod symbols;
pub mod terminal;
mod text;
pub mod theme;
