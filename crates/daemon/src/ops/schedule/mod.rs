//! TODO

pub mod change;
pub mod show;
