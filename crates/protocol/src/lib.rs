//! The words that agent-worker's daemon, workers and clients share: requests and their answers,
//! events, reports, names, and the grammar of mentions. Types only; what they mean to the store is
//! in the daemon.

pub mod agent;
pub mod attention;
pub mod backend;
pub mod backup;
pub mod channel;
pub mod conversation;
pub mod daemon;
pub mod doctor;
pub mod document;
pub mod error;
pub mod event;
pub mod forms;
pub mod id;
pub mod inbox;
pub mod keys;
pub mod member_token;
pub mod mention;
pub mod message;
pub mod name;
pub mod nearest;
pub mod op;
pub mod ordered;
pub mod problem;
pub mod proposal;
pub mod provider;
pub mod question;
pub mod queue;
pub mod report;
pub mod resource;
pub mod run;
pub mod schedule;
pub mod search;
pub mod session;
pub mod state_dir;
pub mod target;
pub mod time;
pub mod tool_set;
pub mod transcript;
pub mod word;
pub mod workflow;

#[cfg(test)]
#[path = "../../../tests/cases.rs"]
mod cases;
