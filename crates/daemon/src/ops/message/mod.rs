//! TODO

pub mod ask;
pub mod read;
pub mod send;
pub mod show;
