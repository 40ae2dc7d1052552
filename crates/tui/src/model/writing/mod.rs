//! What the person writes, and has written.

pub mod composer;
pub mod drafts;
pub mod history;
pub mod kept;
