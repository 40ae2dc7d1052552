//! Backends: what runs an agent, its program, its tools, and what is installed on this machine.

mod kind;
mod list;
mod program;
mod thinking;
mod tool;

pub use self::{
    kind::{BACKENDS, Backend, KnownBackend, KnownProgram},
    list::{BackendList, BackendsListed, UsableBackend},
    program::{Command, McpServer, McpTransport, SERVER, fill, in_shell, try_fill},
    thinking::Thinking,
    tool::{CLAUDE_TOOLS, LIST_OF_TOOLS, Permissions, Tool, tools},
};
