//! Operations on members.

pub mod create;
pub mod hire;
pub mod show;
pub mod steer;
pub mod token;
