//! Operations on conversations.

pub mod change;
pub mod cursor;
pub mod find;
pub mod list;
