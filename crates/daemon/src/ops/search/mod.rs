//! TODO

pub mod find;
pub mod query;
pub mod snippet;
