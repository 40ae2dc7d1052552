//! Starts worker processes, reads their reports, and ends them.

mod foreign;
mod pipes;
pub mod reports;
pub mod spawner;
#[cfg(test)]
mod tests;
