//! What runs, and what needs you.

pub mod command;
pub mod text;
