//! Transcripts of runs.

pub mod command;
mod lines;
mod merged;
mod text;
