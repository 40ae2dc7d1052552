//! Transcripts of runs.

pub mod command;
pub mod history;
mod lines;
mod merged;
mod newest;
mod text;
