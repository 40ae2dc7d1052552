//! Promises that no schema can state, each as a query that finds where it is broken.

pub mod agents;
pub mod all;
pub mod conversations;
pub mod database;
pub mod deliveries;
pub mod documents;
pub mod events;
pub mod messages;
pub mod processes;
pub mod proposals;
pub mod questions;
pub mod runs;
pub mod schedules;
pub mod search;
pub mod sessions;
pub mod workflows;
