//! One piece of work of one agent, in a process of its own.
