//! Homes of agents.

pub mod command;
pub mod text;
