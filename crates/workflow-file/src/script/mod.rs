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
