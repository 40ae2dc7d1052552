//! Operations on members.

pub mod token;
