//! An answer before it is put into the words of an interface.

use agent_worker_protocol::Usage;
use serde_json::Value;

use crate::{
    offered::{Call, Offered},
    scenario::{Called, Ending, Scenario, Turn},
    values::Values,
};

#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Which answer it is, counted over all of them.
    pub n: u64,
    pub think: String,
    pub say: String,
    pub calls: Vec<Call>,
    /// The tokens it used.
    pub usage: Usage,
    /// Why it ends, if not as it should.
    pub stop: Option<Ending>,
    /// How many characters a piece has.
    pub piece: usize,
}

impl Answer {
    /// A turn with its values, for a client that offers these tools.
    pub fn of(
        n: u64,
        turn: &Turn,
        scenario: &Scenario,
        values: &Values,
        offered: &[Offered],
    ) -> Self {
        let text =
            |text: &Option<String>| text.as_ref().map(|text| values.text(text)).unwrap_or_default();
        let call = |called: Called| {
            let arguments = || values.arguments(&called.with.unwrap_or_default());
            let raw = called.raw.unwrap_or_else(|| Value::Object(arguments()).to_string());
            Call::of(&called.call, raw, offered)
        };
        Self {
            n,
            think: text(&turn.think),
            say: text(&turn.say),
            calls: turn.calls().map(call).collect(),
            usage: turn.usage.unwrap_or(scenario.usage).tokens(),
            stop: turn.stop,
            piece: scenario.piece.max(1),
        }
    }

    /// An answer that only says this.
    pub fn saying(n: u64, text: &str, scenario: &Scenario) -> Self {
        let turn = Turn { say: Some(text.to_owned()), ..Turn::default() };
        Self::of(n, &turn, scenario, &Values::default(), &[])
    }

    /// A text in pieces.
    pub fn pieces(&self, text: &str) -> Vec<String> {
        let chars: Vec<_> = text.chars().collect();
        chars.chunks(self.piece).map(|piece| piece.iter().collect()).collect()
    }
}
