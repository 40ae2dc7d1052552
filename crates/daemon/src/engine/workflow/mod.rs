//! Workflow files on their way to a start: checked, prepared, set up.

pub mod check;
mod check_groups;
mod check_homes;
pub mod check_model;
mod check_needs;
pub mod check_texts;
mod played;
pub mod prepare;
pub mod schedules;
pub mod setup;
pub mod start;
