//! What a `mock` agent plays instead of asking a model.

use agent_worker_protocol::forms;
use serde::{Deserialize, Deserializer};

use crate::script::{
    pattern::{MAX_TURNS, Pattern},
    step::Step,
};

/// The turns of a `mock` agent. A run plays the first that fits its inbox and is not used up.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(transparent)]
pub struct Script(#[serde(deserialize_with = "turns")] pub Vec<Turn>);

/// What one run plays.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Which inbox it fits, as a regular expression; any, if not given
    pub when: Option<Pattern>,
    /// How many runs may play it; 0 is any number
    #[serde(default = "once")]
    pub times: u32,
    /// What is done, in order
    #[serde(rename = "do", deserialize_with = "steps")]
    pub steps: Vec<Step>,
}

fn once() -> u32 {
    1
}

fn turns<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Turn>, D::Error> {
    forms::short_list(deserializer, "a list of turns", MAX_TURNS)
}

fn steps<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Step>, D::Error> {
    forms::list(deserializer, "a list of steps")
}
