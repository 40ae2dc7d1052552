//! Lines too long for their place, laid out over several: broken between words, between wide
//! characters, and inside of a word only if it is longer than a line.

mod breaker;
mod rows;

pub use rows::{Laid, capped, wrap, wrap_row};
