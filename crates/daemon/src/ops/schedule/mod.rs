//! Operations on schedules.

pub mod change;
