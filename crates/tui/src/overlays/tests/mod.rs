//! The boxes over the panes.

mod find;
mod form;
mod keys;
mod mouse;
mod pager;
