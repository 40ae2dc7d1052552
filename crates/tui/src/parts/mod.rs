//! Pieces that panes and overlays share.

pub mod field;
pub mod flow;
pub mod list;
