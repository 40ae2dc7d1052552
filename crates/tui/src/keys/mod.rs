//! The table of keys: what dispatches, the footer, the help, the menus, the palette and the list of
//! keys all come from it.

mod binding;
mod keymap;
mod table;

#[cfg(test)]
mod tests;

pub use binding::{Binding, CONTEXTS, Context};
pub use keymap::{Keymap, read, rows, short};
pub use table::BINDINGS;
