//! What lies over the panes: the top one gets the keys.

pub mod choices;
pub mod confirm;
pub mod find;
pub mod form;
pub mod help;
pub mod kept;
mod keys;
mod line;
pub mod menu;
pub mod message;
pub mod notice;
mod open;
mod options;
mod overlay;
pub mod pager;
pub mod palette;
pub mod peek;
pub mod question;
pub mod vote;

#[cfg(test)]
mod tests;

pub use choices::sort;
pub use open::open;
pub use overlay::{Caret, Outcome, Overlay};
pub use palette::Picker;
