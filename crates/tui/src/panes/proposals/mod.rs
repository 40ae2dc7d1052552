//! Proposals: the list of a scope's, and below it how one of them stands.

mod draw;
mod pane;
mod state;

pub use state::Proposals;
