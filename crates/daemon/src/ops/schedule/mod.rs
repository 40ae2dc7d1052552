//! Operations on schedules.

pub mod change;
pub mod show;
pub mod task;
