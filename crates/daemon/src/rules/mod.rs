//! Decisions: functions of rows, values, settings and the time. They read and never write.

pub mod access;
pub mod backend;
pub mod blocker;
pub mod budget;
pub mod draft;
pub mod due_mail;
pub mod edges;
pub mod ending;
pub mod hint;
pub mod loop_guard;
pub mod offer;
pub mod outcome;
pub mod permission;
pub mod program_model;
pub mod proposal;
pub mod recipients;
pub mod retry;
pub mod schedule;
pub mod session;
pub mod standing;
pub mod start;
