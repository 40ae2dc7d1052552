//! The words and the formats of numbers and times that all clients use.

pub mod numbers;
mod times;
mod words;

#[cfg(test)]
mod tests;

pub use times::{BadZone, Clock, Zone};
pub use words::{Meaning, Word, Words, rules};
