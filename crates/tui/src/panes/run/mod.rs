//! A run as it goes on: its header, and what it was told, thinks, does and says, block by block.

pub mod attach;
mod block;
mod calls;
mod column;
mod ending;
mod frame;
mod head;
mod header;
mod keys;
mod pane;
mod screen;
mod state;
mod text;
mod together;
mod transcript;

pub use column::Column;
pub use head::short;
pub use state::Transcripts;
pub use transcript::Sight;
