//! Schedules: when each agent runs by itself next, and below the list what became of the last
//! times of one of them.

mod draw;
mod pane;
mod state;

pub use state::Schedules;
