//! Text made ready for the screen: numbers and times in words, lines cut and wrapped, markdown,
//! differences.

pub mod code;
pub mod cut;
pub mod diff;
pub mod fenced;
pub mod found;
pub mod fuzzy;
pub mod markdown;
pub mod mentions;
pub mod moment;
pub mod query;
pub mod wrap;
