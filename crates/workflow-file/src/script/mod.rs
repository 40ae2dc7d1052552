//! What a `mock` agent plays instead of asking a model.

mod check;
mod failure;
mod pattern;
mod step;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use agent_worker_protocol::forms;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

pub use self::{
    failure::Failure,
    pattern::Pattern,
    step::{ScriptUsage, Step},
};
use crate::yaml::{self, Decoded};

/// The turns of a `mock` agent. A run plays the first one that fits its inbox and is not used up.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Script(#[serde(deserialize_with = "turns")] pub Vec<Turn>);

/// What one run plays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Which inbox it fits, as a regular expression; any, if not given
    #[serde(default)]
    pub when: Option<Pattern>,
    /// How many runs may play it; 0 is any number
    #[serde(default = "once")]
    pub times: u32,
    /// What is done, in order
    #[serde(rename = "do", deserialize_with = "steps")]
    pub steps: Vec<Step>,
}

impl Script {
    /// Reads a script, with all that can be known of it from its text alone.
    pub fn parse(text: &str) -> Decoded<Self> {
        yaml::decode(text).check(check::problems)
    }
}

fn once() -> u32 {
    1
}

/// The most turns of a script. The expression of each is tried when it is read, which takes time.
const MAX_TURNS: usize = 1_000;

fn turns<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Turn>, D::Error> {
    forms::short_list(deserializer, "a list of turns", MAX_TURNS)
}

fn steps<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Step>, D::Error> {
    forms::list(deserializer, "a list of steps")
}
