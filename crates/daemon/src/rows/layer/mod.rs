//! The row layer: how every table is read and written. `row.rs` says how one is written down.

pub mod column;
pub mod cost;
pub mod db;
pub mod kept;
pub mod row;
pub mod statement;
mod stored;
pub mod tables;
#[cfg(test)]
mod tests;
