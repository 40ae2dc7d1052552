//! Schedules: set, changed, fired.

pub mod change;
pub mod fire;
