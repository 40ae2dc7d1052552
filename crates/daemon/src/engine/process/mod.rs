//! Starts worker processes, reads their reports, and ends them.

pub mod reports;
pub mod spawner;
#[cfg(test)]
mod tests;
