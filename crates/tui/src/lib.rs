//! The control room: a screen of the daemon's state, kept true by its feed.

pub mod key;
pub mod paint;
pub mod symbols;
mod terminal;
pub mod text;
pub mod theme;
