//! Pieces that panes and overlays share.

pub mod field;
pub mod flow;
pub mod frame;
pub mod list;
pub mod mail;
pub mod message;
pub mod run;
pub mod search;
pub mod table;
pub mod tabs;
