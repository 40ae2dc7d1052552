//! Documents: the list of a scope's, one of them to read, its versions, what changed between them,
//! and a copy in the person's editor.

mod area;
pub mod beside;
mod draw;
mod pane;
mod save;
mod state;
mod top;

pub use save::edited;
pub use state::Documents;
