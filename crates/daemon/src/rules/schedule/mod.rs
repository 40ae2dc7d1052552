//! TODO

pub mod cron;
pub mod due;
pub mod fire;
pub mod missed;
pub mod spec;
#[cfg(test)]
mod tests;
