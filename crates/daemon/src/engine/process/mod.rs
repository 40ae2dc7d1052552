//! TODO

pub mod reports;
pub mod spawner;
#[cfg(test)]
mod tests;
