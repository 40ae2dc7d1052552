//! Runs.

pub mod by_hand;
pub mod command;
pub mod text;
