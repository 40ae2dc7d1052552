//! Rows as clients see them.

pub mod attention;
pub mod feed;
pub mod snapshot;
