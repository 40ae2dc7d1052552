//! The loop of model and tools that is the worker's own.

mod compact;
mod failure;
mod hearing;
mod mail;
mod own_loop;
mod reminders;
mod retry;
mod rounds;
mod toolbox;

#[cfg(test)]
mod tests;

pub use self::own_loop::answer;
