//! The daemon's tools, over MCP.

mod daemon;
mod permission;

pub use self::{
    daemon::{NoAnswer, NotDone, Tools},
    permission::Decision,
};
