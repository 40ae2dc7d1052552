//! The words that agent-worker's daemon, workers and clients share: requests and their answers,
//! events, names, the grammar of mentions, the shape of a workflow file. Types only, and what both
//! sides of a worker must know of processes; what they mean to the store is in the daemon.

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
pub mod id;
pub mod inbox;
pub mod interpolate;
pub mod keys;
pub mod member_token;
pub mod mention;
pub mod message;
pub mod name;
pub mod nearest;
pub mod op;
pub mod ordered;
pub mod price;
pub mod problem;
pub mod proposal;
pub mod provider;
pub mod question;
pub mod queue;
pub mod report;
pub mod resource;
pub mod run;
pub mod schedule;
pub mod script;
pub mod search;
pub mod session;
pub mod shell;
pub mod state_dir;
pub mod target;
pub mod time;
pub mod tool_set;
pub mod transcript;
pub mod word;
pub mod workflow;
pub mod workflow_file;
pub mod yaml;

#[cfg(test)]
#[path = "../../../tests/cases.rs"]
mod cases;
