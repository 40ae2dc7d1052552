//! Runs: one worker process doing one piece of work for one agent, and its transcript.

mod ask;
mod block;
mod ops;
mod state;

pub use self::{ask::*, block::*, ops::*, state::*};
