//! TODO

pub mod member;
pub mod remove;
pub mod state;
