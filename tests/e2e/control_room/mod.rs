//! What the control room stands on, against the real daemon.

mod breaking;
mod follower;
mod mirror;
