//! The table of agents: of a workflow, or of all.

mod columns;
mod order;
mod pane;
mod state;

pub use state::Agents;
