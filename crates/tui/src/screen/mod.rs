//! The screen, drawn from the control room. It changes nothing and knows no clock.

mod composer;
mod draw;
mod footer;
mod mouse;
mod screens;
mod status;
mod strip;
mod tree;

#[cfg(test)]
pub use draw::Frame;
pub use draw::draw;
#[cfg(test)]
pub use footer::row as footer_row;
pub use mouse::key_at;
pub use status::{running, said as connection};
pub use tree::root;
