//! TODO

pub mod facts;
pub mod index;
pub mod text;
