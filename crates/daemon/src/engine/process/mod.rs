//! Starts worker processes, reads what they report, and ends them.

pub mod process;
pub mod reports;
#[cfg(test)]
mod tests;
