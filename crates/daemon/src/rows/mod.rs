//! The tables: a file for each, with its rows and every statement that reads or writes them.
//! `row.rs` says how one is written.

pub mod document_path;

pub mod conversation;
pub mod cost;
pub mod document;
pub mod event;
pub mod member_token;
pub mod message;
pub mod resource;
pub mod session;
pub mod transcript;

pub mod agent;
pub mod delivery;
pub mod proposal;
pub mod question;
pub mod run;
pub mod schedule;
pub mod search;
pub mod word;
pub mod workflow;

pub mod column;
pub mod daemon_state;
pub mod db;
pub mod idempotency;
pub mod row;
pub mod tables;
#[cfg(test)]
mod tests;

pub use db::Db;
pub(crate) use row::{row, sql, table};
pub use tables::Table;
