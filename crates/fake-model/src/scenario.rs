//! What a fake model says: the form of a scenario.

use agent_worker_protocol::{Interval, Name, Problem};
use agent_worker_workflow_file::{
    script::{Pattern, ScriptUsage},
    template::Template,
    yaml::{self, Decoded, Tree},
};
use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What an answer has used that says nothing else
    #[serde(default)]
    pub usage: ScriptUsage,
    /// Requests that are refused whatever they ask
    pub refuse: Option<Share>,
    /// The longest answer that a request may ask for, in tokens, on Anthropic's interface
    #[serde(default = "longest")]
    pub longest: u32,
    /// How many characters a piece of a stream has
    #[serde(default = "piece")]
    pub piece: usize,
    /// How long to wait between two pieces
    pub pace: Option<Interval>,
    /// What is said to whom; the first that fits and is not used up
    pub conversations: Vec<Conversation>,
}

/// A share of all requests, of whatever conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// How many of a hundred
    pub percent: u64,
    /// What they are answered
    #[serde(default = "too_many")]
    pub status: u16,
    /// When they shall come back
    pub retry_after: Option<Interval>,
}

/// What is said in one conversation, from its first request to its last.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conversation {
    /// Whose it is: the agent that the prompt says it is
    pub agent: Option<Name>,
    /// Which model is asked, as a regular expression
    pub model: Option<Pattern>,
    /// What its messages say, as a regular expression
    pub when: Option<Pattern>,
    /// How many conversations may be this one; 0 is any number
    #[serde(default)]
    pub times: u32,
    /// An answer for each request, in order
    pub turns: Vec<Turn>,
}

/// One answer. Its texts may hold `${{ match.name }}`, `${{ result }}` and `${{ result.field }}`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Turn {
    pub think: Option<String>,
    pub say: Option<String>,
    /// A tool that is called
    pub call: Option<String>,
    pub with: Option<Map<String, Value>>,
    /// The text that stands for its arguments, whatever it is
    pub raw: Option<String>,
    /// Several calls at once
    pub calls: Vec<Called>,
    /// Tokens that it reports
    pub usage: Option<ScriptUsage>,
    /// Why it ends, if not as it should
    pub stop: Option<Ending>,
    /// How long to wait before it begins
    pub sleep: Option<Interval>,
    /// Waits before it begins until a client asks for `POST /release/NAME`
    pub hold: Option<String>,
    /// How long to wait between two pieces
    pub pace: Option<Interval>,
    /// A status in place of an answer
    pub refuse: Option<u16>,
    /// When the refused shall come back
    pub retry_after: Option<Interval>,
    /// What the refused is told
    pub message: Option<String>,
    /// The word for the kind of refusal, if not the usual one of its status
    pub code: Option<String>,
    /// How the answer breaks off
    #[serde(rename = "break")]
    pub breaks: Option<Break>,
    /// After how many events it does; half of them if not given
    pub after: Option<usize>,
    /// How many requests get this answer; 0 is one
    pub times: u32,
    /// What the model must have been told last, as a regular expression
    pub expect: Option<Pattern>,
    /// What must be in the conversation, as it was sent in JSON, as a regular expression
    pub remembers: Option<Pattern>,
    /// What must not be in it
    pub forgets: Option<Pattern>,
}

/// One of several calls.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Called {
    pub call: String,
    pub with: Option<Map<String, Value>>,
    /// The text that stands for its arguments, whatever it is
    pub raw: Option<String>,
}

/// An end that is not as it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The answer is as long as it may be.
    Length,
    /// The model will not say it.
    Refusal,
    /// The model wants to be asked to go on. Only Anthropic's interface has it; others give
    /// `length`.
    Pause,
}

/// How an answer breaks off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Break {
    Cut,
    /// An error comes in the middle.
    Error,
    /// Nothing comes any more, and the connection stays.
    Silence,
    /// What comes makes no sense.
    Garbage,
    /// The connection ends before there is any answer.
    Drop,
}

impl Scenario {
    /// Reads a scenario, with all that can be known of it from its text alone.
    pub fn parse(text: &str) -> Decoded<Self> {
        yaml::decode(text).check(problems)
    }
}

impl Turn {
    pub fn calls(&self) -> impl Iterator<Item = Called> {
        let first = self.call.clone().map(|call| Called {
            call,
            with: self.with.clone(),
            raw: self.raw.clone(),
        });
        first.into_iter().chain(self.calls.clone())
    }

    fn says(&self) -> bool {
        let says = self.think.is_some() || self.say.is_some();
        says || self.call.is_some() || !self.calls.is_empty()
    }
}

/// Whether a request is among those that are refused: spread without a pattern, and the same in
/// every play (the finaliser of `SplitMix64`).
pub fn is_among(share: &Share, n: u64) -> bool {
    let mut x = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x ^ (x >> 31)) % 100 < share.percent
}

fn longest() -> u32 {
    64_000
}

fn piece() -> usize {
    24
}

fn too_many() -> u16 {
    429
}

/// What fits its form and still makes no sense.
fn problems(scenario: &Scenario, tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (place, conversation) in scenario.conversations.iter().enumerate() {
        for (turn_place, turn) in conversation.turns.iter().enumerate() {
            let (place, turn_place) = (place.to_string(), turn_place.to_string());
            let at = tree.place(&["conversations", &place, "turns", &turn_place]);
            problems.extend(wrong(turn).map(|wrong| Problem::error(wrong).at(at)));
        }
    }
    problems
}

fn wrong(turn: &Turn) -> Option<String> {
    let is_status = |status: u16| (400..600).contains(&status);
    if !turn.says() && turn.refuse.is_none() && turn.breaks.is_none() {
        return Some("a turn has `think`, `say`, `call`, `calls`, `refuse` or `break`".to_owned());
    }
    if turn.call.is_none() && (turn.with.is_some() || turn.raw.is_some()) {
        return Some("`with` and `raw` are the arguments of a `call`".to_owned());
    }
    if let Some(status) = turn.refuse.filter(|status| !is_status(*status)) {
        return Some(format!("`refuse` is a status from 400 to 599, not {status}"));
    }
    let mut texts = [&turn.think, &turn.say].into_iter().flatten();
    let bad = texts.find_map(|text| Template::parse(text).err())?;
    Some(bad.to_string())
}
