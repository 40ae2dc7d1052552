//! Operations that send and read messages.

pub mod ask;
pub mod read;
pub mod send;
pub mod show;
