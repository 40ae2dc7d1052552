//! What tests of several files share.

pub mod fake;
pub mod script;
