//! The daemon of agent-worker: one process, one SQLite file, the only authority over all state.
//! It stores messages, decides which agent works, starts a worker process for each piece of work,
//! and tells everyone what has changed. It builds no prompt and speaks to no model.

mod app;
pub mod clock;
mod keys;
pub mod ops;
mod outputs;
mod scheduler;
pub mod settings;
pub mod store;
mod supervisor;
mod workflow;
