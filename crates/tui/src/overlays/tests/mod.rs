//! The boxes over the panes.

mod find;
mod keys;
