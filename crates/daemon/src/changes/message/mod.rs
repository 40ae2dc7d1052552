//! Messages on their way in, and conversations, deliveries and resources that they touch.

pub mod conversation;
pub mod cursor;
pub mod delivery;
pub mod post;
pub mod resource;
