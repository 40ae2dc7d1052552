//! TODO

pub mod ending;
pub mod environment;
pub mod follower;
pub mod orders;
pub mod outcome;
pub mod speech;
pub mod supervise;
pub mod transcript;
pub mod watch;
