//! One task for each run, from its process to the end of its last descendant.

pub mod activity;
pub mod ending;
pub mod environment;
pub mod follower;
pub mod homes;
pub mod orders;
pub mod outcome;
pub mod preview;
pub mod speech;
pub mod spending;
pub mod supervise;
pub mod transcript;
pub mod watch;
