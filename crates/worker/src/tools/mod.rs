//! The daemon's tools, over MCP.

mod daemon;
mod no_answer;
mod permission;

pub use self::{
    daemon::Tools,
    no_answer::{NoAnswer, NotDone},
    permission::Decision,
};
