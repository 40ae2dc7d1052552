//! Codex: `codex exec --json`, which prints events as JSON lines and ends with the end of a turn.

mod program;
mod servers;

pub use self::program::Codex;
