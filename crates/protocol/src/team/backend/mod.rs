//! Backends: what runs an agent, its program, its tools, and what is installed on this machine.

mod kind;
mod known;
mod list;
mod program;
mod thinking;
mod tool;

pub use self::{
    kind::Backend,
    known::{CLAUDE_TOOLS, KnownProgram},
    list::{BackendList, BackendsListed, UsableBackend},
    program::{Command, McpServer, McpTransport, fill},
    thinking::Thinking,
    tool::{Permissions, Tool, tools},
};
