//! The prompt: what the daemon told, as a text for a model. What others wrote is quoted line by
//! line, so that nothing in it can pass for a heading, for another message or for the daemon.

mod activity;
mod changes;
mod compose;
mod home;
mod identity;
mod inbox;
mod instructions;
mod origin;
mod quote;
mod workspace;

#[cfg(test)]
pub mod tests;

pub use self::{
    changes::Known,
    compose::{Prompt, news, tool_names},
    home::system_prompt,
};
