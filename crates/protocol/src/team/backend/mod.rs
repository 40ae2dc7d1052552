//! Backends: what runs an agent, its program, its tools, and what is installed on this machine.

mod kind;
mod list;
mod program;
mod thinking;
mod tool;

pub use self::{kind::*, list::*, program::*, thinking::Thinking, tool::*};
