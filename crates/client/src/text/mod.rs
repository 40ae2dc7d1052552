//! The words, the formats of numbers and times and the order of names that all clients use.

pub mod natural;
pub mod numbers;
mod times;
mod words;

#[cfg(test)]
mod tests;

pub use times::{BadZone, Clock, Zone};
pub use words::{Meaning, Word, Words, explained, rules};
