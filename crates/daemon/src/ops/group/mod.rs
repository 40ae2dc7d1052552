//! Operations on conversations.

pub mod change;
