//! The MCP server: operations as tools.

pub mod bounds;
pub mod call;
pub mod described;
pub mod permission;
pub mod schema;
pub mod server;
#[cfg(test)]
mod tests;
pub mod tools;
