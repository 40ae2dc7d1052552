//! Workflow files: what is wrong with one, what a start is made of, and its setup.

pub mod check;
pub mod prepare;
mod schedules;
pub mod setup;
