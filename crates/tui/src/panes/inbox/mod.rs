//! Inboxes, and what waits for an agent. Looking changes nothing: nothing is acked, no cursor moves.

mod pane;
mod queue;
mod received;
mod state;

pub use pane::Inbox;
#[cfg(test)]
pub use pane::LOOKING;
pub use state::looked_at;
