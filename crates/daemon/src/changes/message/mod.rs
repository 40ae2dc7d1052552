//! TODO

pub mod conversation;
pub mod cursor;
pub mod delivery;
pub mod post;
pub mod resource;
