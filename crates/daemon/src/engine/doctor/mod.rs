//! Examines the tables, the files and the processes of a state directory.

pub mod check;
pub mod files;
pub mod processes;
pub mod report;
pub mod tables;
