//! TODO

pub mod answer;
pub mod gate;
pub mod http;
pub mod mcp;
