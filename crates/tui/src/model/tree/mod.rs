//! The tree of everything: what stands in it, and how the person left it.

pub mod family;
pub mod lines;
pub mod moves;
mod names;
mod nav;

pub use nav::{Line, Nav, NavId, Root, Roots};
