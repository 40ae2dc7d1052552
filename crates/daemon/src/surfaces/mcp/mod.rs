//! The MCP server: operations as tools, and what can be read as resources.

pub mod bounds;
pub mod call;
pub mod described;
pub mod permission;
pub mod resources;
pub mod schema;
pub mod server;
#[cfg(test)]
mod tests;
pub mod tools;
