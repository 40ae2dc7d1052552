//! TODO

pub mod agent;
pub mod daemon;
pub mod document;
pub mod message;
pub mod proposal;
pub mod question;
pub mod run;
pub mod schedule;
pub mod workflow;
