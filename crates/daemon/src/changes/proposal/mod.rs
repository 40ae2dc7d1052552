//! TODO

pub mod close;
pub mod told;
