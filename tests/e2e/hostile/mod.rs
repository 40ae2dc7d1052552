//! Attacks over HTTP and MCP, with texts and files, and on secrets (`semantics.md` §14).

mod early;
mod files;
mod forged;
mod hosts;
mod names;
mod overlooked;
mod requests;
mod resets;
mod secrets;
pub mod shown;
mod slow;
pub mod terminal;
mod tokens;
mod tools;
mod values;
mod versions;
mod wire;
