//! Somebody tries: over HTTP, over MCP, with texts and files, and for secrets
//! (`semantics.md` §14).

mod hosts;
mod requests;
mod shown;
mod slow;
mod terminal;
mod tokens;
mod tools;
mod wire;
