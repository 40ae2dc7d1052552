//! Markdown in rows. No word of the source stays unseen, since agents write it: what has no look
//! of its own is shown as it is written.

mod blocks;
mod inline;
mod leaf;
mod page;
mod render;
mod stream;
mod table;

pub use page::{Page, Sheet};
pub use render::render;
pub use stream::Stream;
