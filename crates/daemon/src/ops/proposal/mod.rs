//! TODO

pub mod create;
pub mod show;
pub mod vote;
