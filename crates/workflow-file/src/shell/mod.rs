//! Values in commands. A value is never code: it travels in the environment, and the command names
//! the variable, quoted as its place in the command needs it.

mod quotes;
mod render;

#[cfg(test)]
mod tests;

pub use self::render::{Command, render};
