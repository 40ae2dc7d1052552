//! Proposals and votes.

pub mod command;
pub mod text;
