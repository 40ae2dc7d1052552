//! When schedules are due, and what happens to due times that have passed.

pub mod cron;
pub mod due;
pub mod fire;
pub mod heartbeat;
pub mod missed;
pub mod spec;
#[cfg(test)]
mod tests;
