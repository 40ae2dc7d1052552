//! Schedules: set, changed, fired.

pub mod fire;
