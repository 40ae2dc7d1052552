//! Messages on their way in, and conversations, deliveries and resources that they touch.

pub mod conversation;
pub mod post;
