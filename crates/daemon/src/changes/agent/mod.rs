//! Members: created, updated, paused, stopped, removed.

pub mod member;
pub mod remove;
pub mod state;
