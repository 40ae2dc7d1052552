//! What the screen knows: the daemon's picture, where the person is, what is written, asked and
//! told. It holds no clock: time comes in with every message.

pub mod acts;
pub mod composer;
pub mod consequences;
pub mod contexts;
pub mod drafts;
pub mod effects;
pub mod files;
pub mod history;
pub mod inboxes;
pub mod layout;
pub mod loaded;
pub mod look;
pub mod messages;
pub mod needs;
pub mod notes;
pub mod paging;
pub mod place;
pub mod possible;
pub mod reach;
pub mod refusal;
pub mod requests;
pub mod runs;
pub mod settings;
pub mod talks;
pub mod tree;
pub mod tree_lines;
mod whole;
pub mod words;

pub use look::Look;
pub use whole::{Display, Focus, Model, Preferences, Reach};
