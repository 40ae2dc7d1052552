//! Operations on proposals.

pub mod create;
pub mod show;
pub mod vote;
