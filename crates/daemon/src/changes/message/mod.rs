//! Messages on their way in, with the conversations, deliveries and resources they touch.

pub mod conversation;
pub mod cursor;
pub mod delivery;
pub mod post;
pub mod resource;
