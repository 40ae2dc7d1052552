//! The agent's own MCP servers: programs that are started for the run, and servers that are
//! there already. A server that does not start, or says nothing, is reported and keeps no one from
//! working.

mod error;
mod lines;
mod names;
mod program;
mod remote;
mod start;

#[cfg(test)]
pub mod tests;

pub use self::start::{Missing, Servers};
