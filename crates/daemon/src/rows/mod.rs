//! The tables: a file for each, with its rows and every statement that reads or writes them.

pub mod idempotency;
