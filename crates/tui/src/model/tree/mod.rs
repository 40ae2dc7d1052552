//! The tree of everything: what stands in it, and how the person left it.

pub mod family;
mod id;
pub mod lines;
mod nav;
mod roots;

pub use id::NavId;
pub use nav::Nav;
pub use roots::{Line, Root, Roots};
