//! MCP on a pair of streams, for clients that start a program to reach their tools: each line in is
//! a message for the daemon, and each line out is an answer of it. The daemon keeps nothing of a
//! connection, so a restart of it is bridged by asking the next one.

mod answer;
mod asker;
mod list;
mod message;
mod serve;
mod turns;

pub use asker::Bridge;
