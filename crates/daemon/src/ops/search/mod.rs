//! TODO

pub mod query;
pub mod search;
pub mod snippet;
