//! What clients reach: HTTP and MCP.

pub mod answer;
pub mod gate;
pub mod http;
pub mod mcp;
pub mod page;
