//! What the worker starts, and how all of it ends.

pub mod complaints;
pub mod family;
pub mod shell;
pub mod tree;
