//! Search: the query language, the hits and their snippets.

pub mod find;
pub mod query;
pub mod snippet;
