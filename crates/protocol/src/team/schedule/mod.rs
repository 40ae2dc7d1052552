//! Schedules: when agents run by themselves, and what became of each time at which one was due.

mod clock;
mod due;
mod ops;
pub mod task;

pub use self::{clock::*, due::*, ops::*, task::*};
