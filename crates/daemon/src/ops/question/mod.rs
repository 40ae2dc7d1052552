//! Operations on questions and permissions.

pub mod answer;
pub mod ask;
pub mod list;
