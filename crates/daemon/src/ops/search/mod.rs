//! Search: the query language, the hits and their snippets.

pub mod query;
pub mod search;
pub mod snippet;
