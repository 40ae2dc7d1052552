//! Questions to you.

pub mod command;
pub mod text;
