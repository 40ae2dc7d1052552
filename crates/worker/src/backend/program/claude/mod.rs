//! Claude Code: `claude -p`, which prints events as JSON lines and ends with a `result`.

mod answer;
mod program;

pub use self::program::Claude;
