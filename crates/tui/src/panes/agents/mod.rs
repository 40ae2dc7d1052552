//! The table of agents: of a workflow, or of all.

mod columns;
mod pane;
mod state;

pub use state::Agents;
