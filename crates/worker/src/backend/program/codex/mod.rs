//! Codex: `codex exec --json`, which prints events as JSON lines and ends with the end of a turn.

mod model;
mod program;
mod servers;

pub use self::{
    model::{model_key, model_options},
    program::Codex,
};
