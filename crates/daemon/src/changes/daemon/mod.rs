//! TODO

pub mod recover;
pub mod settle;
pub mod sweep;
