//! What was used: tokens and dollars by agent, model, workflow and day, how fast, and how far limits
//! are.

mod draw;
mod limits;
mod pane;
mod sum;
mod sums;

pub use sums::Costs;
