//! Decisions: functions of rows, values, settings and the time. They read and never write.

pub mod blocker;
pub mod budget;
pub mod document_path;
pub mod hint;
pub mod loop_guard;
pub mod offer;
pub mod outcome;
pub mod program_model;
pub mod schedule;
