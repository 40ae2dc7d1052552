//! What a `mock` agent plays instead of asking a model.

mod check;
mod failure;
mod pattern;
mod step;
mod turns;

#[cfg(test)]
mod tests;

pub use self::{
    failure::Failure,
    pattern::Pattern,
    step::{ScriptUsage, Step},
    turns::{Script, Turn},
};

/// How the error of a run begins that failed because of a mistake in its script.
pub const MISTAKE: &str = "the script: ";
