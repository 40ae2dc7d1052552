//! Why no screen can be drawn.

use std::io;

/// Why no screen can be drawn.
#[derive(Debug, thiserror::Error)]
pub enum NotATerminal {
    /// Keys cannot be read.
    #[error(
        "standard input is not a terminal: `agent-worker tui --dump 120x40` prints one screen, \
         every other command works without one"
    )]
    Input,
    /// Nothing can be shown.
    #[error(
        "standard output is not a terminal: `agent-worker tui --dump 120x40` prints one screen, \
         every other command works without one"
    )]
    Output,
    /// The terminal cannot place its cursor.
    #[error(
        "this terminal can only print lines (TERM is `dumb`): `agent-worker tui --dump 120x40` \
         prints one screen, every other command works here"
    )]
    Dumb,
    /// The terminal does not let itself be used.
    #[error("the terminal cannot be used: {0}")]
    Unusable(#[from] io::Error),
}
