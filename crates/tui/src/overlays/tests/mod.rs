//! The boxes over the panes.

mod find;
mod form;
mod help;
mod keys;
mod mouse;
mod options;
mod pager;
