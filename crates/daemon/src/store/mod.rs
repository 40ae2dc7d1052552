//! The database: one thread that writes, a few that read, and the news of what was committed.
//! `synchronous=FULL` with commits in groups: an answer means that it is on the disk.

pub mod broken;
pub mod connections;
pub mod copy;
pub mod error;
pub mod file;
pub mod found;
pub mod identity;
pub mod job;
pub mod migrations;
pub mod news;
pub mod readers;
pub mod wal;
pub mod writer;
