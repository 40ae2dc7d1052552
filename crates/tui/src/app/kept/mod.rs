//! What of the screen is kept: bookmarks, and layouts by name.

mod bookmarks;
mod layouts;

pub use bookmarks::{list, turn};
pub use layouts::{arrange, save};
