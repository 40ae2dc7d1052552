//! What the daemon does by itself to the tables: at its start, at the end of a transaction, and as
//! time passes.

pub mod recover;
pub mod settle;
pub mod sweep;
