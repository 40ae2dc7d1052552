//! Conversations: what was said, what happened beside it, where the view stands.

mod acts;
pub mod draw;
mod find;
mod item;
mod moment;
mod pages;
mod pane;
mod range;
pub mod scroll;
mod thread;

pub use acts::{cause_of, reply_to};
pub use find::find;
pub use moment::go_to as go_to_moment;
pub use pane::Talking;
