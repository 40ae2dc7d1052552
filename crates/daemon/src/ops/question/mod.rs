//! TODO

pub mod answer;
pub mod ask;
pub mod list;
