//! Text made ready for the screen: numbers and times in words, lines cut and wrapped, markdown,
//! differences.

pub mod cut;
pub mod numbers;
pub mod time;
pub mod wrap;

mod cells;
