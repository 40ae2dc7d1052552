//! Programs that speak the Agent Client Protocol over their standard input and output.

mod answer;
mod narration;
mod permission;
mod preset;
mod session;
mod speech;
mod trouble;
mod wire;

#[cfg(test)]
mod tests;

pub use self::answer::answer;
