//! One task for each run, from its process to its last descendant gone.

pub mod environment;
pub mod follower;
pub mod orders;
pub mod speech;
pub mod supervise;
pub mod transcript;
pub mod watch;
