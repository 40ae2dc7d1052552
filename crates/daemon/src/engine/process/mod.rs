//! Starts worker processes, reads their reports, and ends them.

mod pipes;
pub mod reports;
pub mod spawner;
#[cfg(test)]
mod tests;
