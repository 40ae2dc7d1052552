//! What the screen knows: the daemon's picture, where the person is, what is written, asked and
//! told. It holds no clock: time comes in with every message.

pub mod acts;
pub mod consequences;
pub mod contexts;
pub mod effects;
pub mod known;
pub mod layout;
pub mod look;
pub mod needs;
pub mod notes;
pub mod picked;
pub mod place;
pub mod possible;
pub mod reach;
pub mod refusal;
pub mod requests;
pub mod settings;
pub mod tree;
pub mod tree_lines;
mod whole;
pub mod words;
pub mod writing;

pub use look::Look;
pub use whole::{Display, Focus, Model, Preferences, Reach};
