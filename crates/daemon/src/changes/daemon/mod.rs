//! What the daemon itself changes: at its start, after each operation, and as time passes.

pub mod recover;
pub mod settle;
pub mod sweep;
