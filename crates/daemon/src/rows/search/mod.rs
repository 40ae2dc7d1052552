//! The search index: an FTS5 table without text of its own.

pub mod entry;
pub mod facts;
pub mod index;
pub mod text;
