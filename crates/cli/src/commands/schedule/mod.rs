//! Schedules.

pub mod command;
pub mod text;
