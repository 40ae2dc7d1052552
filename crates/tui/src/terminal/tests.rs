//! Against a pseudo-terminal.
