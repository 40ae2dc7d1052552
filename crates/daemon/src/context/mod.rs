//! What a transaction knows: its caller, its time, and what it announces.

pub mod cx;
pub mod job;
pub mod limit;
pub mod store;
#[cfg(test)]
mod tests;
