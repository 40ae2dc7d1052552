//! Operations on questions and permissions.

pub mod ask;
