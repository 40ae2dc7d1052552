//! Operations on proposals.

pub mod create;
pub mod vote;
