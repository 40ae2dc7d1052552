//! TODO

pub mod change;
pub mod fire;
