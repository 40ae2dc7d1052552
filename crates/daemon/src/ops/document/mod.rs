//! Operations on documents.

pub mod read;
pub mod write;
