//! `runs`: pieces of work, one worker process each.

mod progress;
mod row;

pub use progress::{Close, Note};
pub use row::*;
