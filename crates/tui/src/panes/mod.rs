//! The panes: a folder each, with what it keeps, what its keys do, what it hears and how it looks.
//! A pane knows the model and itself; what it wants done elsewhere it says in effects.

pub mod agents;
mod all;
pub mod conversation;
pub mod cost;
pub mod documents;
pub mod events;
pub mod inbox;
pub mod info;
pub mod members;
mod pane;
pub mod proposals;
pub mod run;
pub mod runs;
pub mod schedules;
pub mod search;
mod seek;

#[cfg(test)]
mod tests;

pub use all::Panes;
pub use pane::Pane;
