//! Operations: each checks its caller, calls a change and answers, in one transaction. An
//! operation cannot wait, spawn, sleep or read the clock.

pub mod agent;
pub mod document;
pub mod group;
pub mod inbox;
pub mod list;
pub mod message;
pub mod proposal;
pub mod question;
pub mod resource;
pub mod run;
pub mod schedule;
pub mod search;
pub mod session;
pub mod status;
#[cfg(test)]
mod tests;
pub mod transcript;
pub mod web;
pub mod workflow;
