//! Tables of runs: of one agent, and of all. What the picture has is there at once; older runs are
//! asked for page by page.

mod columns;
mod pane;
mod selected;

pub use pane::History;
