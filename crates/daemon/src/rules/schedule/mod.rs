//! When schedules are due, and what becomes of times that have passed.

pub mod cron;
pub mod due;
pub mod missed;
#[cfg(test)]
mod tests;
