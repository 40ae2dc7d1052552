//! The feed's log: every change, newest at the end, with the fields of the selected one.

mod draw;
mod pane;
mod state;

pub use state::Log;
