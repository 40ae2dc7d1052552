//! What was loaded beside the picture.

pub mod files;
pub mod inboxes;
pub mod loaded;
pub mod messages;
pub mod paging;
pub mod runs;
mod seen;
pub mod talks;
pub mod view;
