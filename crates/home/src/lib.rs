//! The home of an agent: a folder that stays between runs, with who the agent is, whom it works
//! for, and what it remembers. The daemon creates and changes homes, the worker reads them and
//! appends to the day's file. No other file is ever opened: each name is known in advance, and no
//! symbolic link below the home is followed.

mod append;
mod error;
mod excerpt;
mod file;
mod folder;
mod make;
mod memory;
mod replace;
mod versions;

pub use append::{note, one_line};
pub use error::HomeError;
pub use excerpt::{Excerpt, Text};
pub use file::{HomeFile, UnknownFile};
pub use folder::{Home, Listed};
pub use make::WORKSPACE;
pub use memory::{Found, Hit, Memory};
pub use versions::{KEPT, Version};

#[cfg(test)]
#[path = "../../../tests/cases.rs"]
mod cases;

#[cfg(test)]
mod tests;
