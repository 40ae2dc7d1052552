//! The tree of everything: what stands in it, and how the person left it.

pub mod family;
pub mod lines;
mod names;
mod nav;

pub use nav::{Line, Nav, NavId, Root, Roots};
