//! The terminal: its modes, what comes from it, what goes to it.
