//! Backups of the database.

pub mod command;
pub mod text;
