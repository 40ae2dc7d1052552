//! Workflows: start, follow, list, check.

pub mod check;
pub mod command;
mod elsewhere;
pub mod init;
pub mod limits;
pub mod list;
pub mod live;
pub mod problems;
pub mod text;
