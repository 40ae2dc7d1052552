//! TODO

pub mod check;
pub mod files;
pub mod processes;
pub mod report;
pub mod tables;
