//! How proposals end, and what members are told of them.

pub mod close;
pub mod told;
