//! The real program, driven from outside: its own home for each test, port 0, and waiting on
//! events with a deadline, never on time. What it leaves behind only Linux shows.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "what a test unwraps is what it asserts")]

mod acp;
mod agents;
mod asking;
mod backends;
mod backup;
mod bridge;
mod clients;
mod command_line;
mod completions;
mod control_room;
mod conversations;
mod crowded_feeds;
mod cures;
mod cut_calls;
mod cuts;
mod default_backend;
mod doctor;
mod documents;
mod examples;
mod faults;
mod gate;
mod grammar;
mod hints;
mod homes;
mod hostile;
mod logs;
mod mcp;
mod mentions;
mod mistakes;
mod processes;
mod programs;
mod promises;
mod questions;
mod reading;
mod real;
mod remote;
mod resources;
mod schedules;
mod settings;
mod several;
mod stored;
mod stream;
mod support;
mod tidy;
mod unruly;
mod waiting;
mod web;
mod worker;
