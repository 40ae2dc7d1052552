//! Rows as clients see them.

pub mod agent;
pub mod attention;
pub mod conversation;
pub mod delivery;
pub mod document;
pub mod feed;
pub mod proposal;
pub mod question;
pub mod run;
pub mod schedule;
pub mod snapshot;
pub mod workflow;
