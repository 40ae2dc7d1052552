//! What of the screen outlives the program.

mod arrangement;
mod bookmark;
mod kept;

pub use arrangement::Arrangement;
pub use bookmark::Bookmark;
pub use kept::Layout;
