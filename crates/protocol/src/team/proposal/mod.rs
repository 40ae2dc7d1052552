//! Proposals: what a team decides by voting, and what comes of it.

mod ops;
mod tally;

pub use self::{ops::*, tally::*};
