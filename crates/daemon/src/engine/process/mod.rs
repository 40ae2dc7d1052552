//! TODO

pub mod process;
pub mod reports;
#[cfg(test)]
mod tests;
