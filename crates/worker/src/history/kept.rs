//! Turns as they are kept between runs, and how they become a conversation again.

use agent_worker_protocol::{SessionTurn, TurnRole};
use serde::{Deserialize, Serialize};

use super::lines::Lines;
use crate::model::{Call, Part, Said, ToolResult, Turn};

/// The longest turn that is kept, in bytes. A longer one is kept with the beginnings of its
/// results, or as a list of what was done in it.
pub const LONGEST: usize = 256 << 10;

/// How much of a result stays in a turn that is too long, in bytes.
const SHORT_RESULT: usize = 4 << 10;

/// How far an agent has seen what others do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// The newest message that it was shown
    pub message: i64,
    /// The version of the team's document that it was shown, if there was one
    pub document: Option<i64>,
}

/// What a run begins with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opening {
    /// What it is told
    pub said: Vec<Said>,
    /// How far it has seen what others do
    pub seen: Seen,
    /// Whether all that an agent must know is in it, and not only what is new
    pub is_whole: bool,
    /// What is told of it when it is gone
    pub gist: Vec<String>,
}

/// A turn as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    /// Actions in dropped turns.
    Summary(Lines),
    /// What a run begins with.
    Prompt(Opening),
    /// Results of tools, and what came meanwhile.
    Told(Vec<Said>),
    /// What is told of the turn before when that is gone. A model gets nothing of it.
    Gist(Vec<String>),
    /// What a model answered, and which: what one has signed means nothing to another.
    Answered {
        parts: Vec<Part>,
        /// `provider/model`
        model: String,
        /// How long the conversation was with it, in tokens
        tokens: Option<i64>,
        /// The fingerprint of everything that stood before it
        #[serde(default, skip_serializing_if = "Option::is_none")]
        behind: Option<u64>,
    },
}

impl Kept {
    /// As it is stored: without pictures, and never too long.
    pub fn stored(&self) -> SessionTurn {
        let mut kept = self.clone();
        if let Self::Told(said) | Self::Prompt(Opening { said, .. }) = &mut kept {
            said.iter_mut().for_each(without_images);
        }
        let write =
            |kept: &Self| serde_json::to_string(kept).expect("it has no maps with odd keys");
        let mut content = write(&kept);
        if content.len() > LONGEST
            && let Self::Told(said) = &mut kept
        {
            said.iter_mut().for_each(shorten);
            content = write(&kept);
        }
        let (role, tokens) = match self {
            Self::Summary(_) => (TurnRole::Summary, None),
            Self::Prompt(_) => (TurnRole::Prompt, None),
            Self::Told(_) | Self::Gist(_) => (TurnRole::Told, None),
            Self::Answered { tokens, .. } => (TurnRole::Answered, *tokens),
        };
        SessionTurn { role, content, tokens }
    }

    /// What a run begins with, if it is that.
    pub fn opening(&self) -> Option<&Opening> {
        if let Self::Prompt(opening) = self { Some(opening) } else { None }
    }

    /// The results and what came meanwhile, if it is that.
    pub fn told(&self) -> &[Said] {
        if let Self::Told(said) = self { said } else { &[] }
    }

    /// The fingerprint of everything that stood before it, if it is an answer.
    pub fn behind(&self) -> Option<u64> {
        if let Self::Answered { behind, .. } = self { *behind } else { None }
    }

    /// A stored one again; none if it cannot be read.
    pub fn read(stored: &SessionTurn) -> Option<Self> {
        serde_json::from_str(&stored.content).ok()
    }

    /// The turn that the model gets.
    pub fn turn(&self, model: &str) -> Turn {
        match self {
            Self::Summary(lines) => Turn::Told(vec![Said::Text(lines.of_earlier_runs())]),
            Self::Prompt(opening) => Turn::Told(opening.said.clone()),
            Self::Told(said) => Turn::Told(said.clone()),
            Self::Gist(_) => Turn::Told(Vec::new()),
            Self::Answered { parts, model: by, .. } if by == model => Turn::Answered(parts.clone()),
            Self::Answered { parts, .. } => {
                Turn::Answered(parts.iter().filter_map(unsigned).collect())
            }
        }
    }
}

fn without_images(said: &mut Said) {
    let Said::Result(result) = said else { return };
    if !result.images.is_empty() {
        result.images.clear();
        result.text.push_str("\n[what it showed is not kept: look again to see it]");
    }
}

fn shorten(said: &mut Said) {
    let Said::Result(ToolResult { text, .. }) = said else { return };
    if text.len() > SHORT_RESULT {
        let whole = text.len();
        text.truncate(text.floor_char_boundary(SHORT_RESULT));
        let note = format!("\n[of {whole} bytes the rest is not kept: read it again]");
        text.push_str(&note);
    }
}

/// A part of an answer that another model gave: what that one has signed is left out.
fn unsigned(part: &Part) -> Option<Part> {
    match part {
        Part::Thinking { .. } | Part::Hidden(_) => None,
        Part::Text(text) => Some(Part::Text(text.clone())),
        Part::Call(call) => Some(Part::Call(Call { seal: None, ..call.clone() })),
    }
}

/// Leaves out the thinking of answers from this turn of the conversation on.
pub fn leave_out_thinking(kept: &mut [Kept], from: usize) {
    let mut turns = 0;
    let mut was_answered = None;
    for kept in kept {
        let is_answered = matches!(kept, Kept::Answered { .. });
        turns += usize::from(was_answered.replace(is_answered) != Some(is_answered));
        if let Kept::Answered { parts, .. } = kept
            && turns > from
        {
            parts.retain(|part| !part.is_thinking());
        }
    }
}

/// Adds a turn to a conversation, in which the sides take turns.
pub fn push(turns: &mut Vec<Turn>, turn: Turn) {
    match (turns.last_mut(), turn) {
        (Some(Turn::Told(said)), Turn::Told(more)) => said.extend(more),
        (Some(Turn::Answered(parts)), Turn::Answered(more)) => parts.extend(more),
        (_, turn) => turns.push(turn),
    }
}

/// How much of a conversation makes sense: it begins with what the model is told, and each call has
/// its result in the turn behind it, and no other turn has one.
pub fn sound(turns: &[Turn]) -> usize {
    for (n, turn) in turns.iter().enumerate() {
        let before = n.checked_sub(1).map(|n| call_ids(&turns[n])).unwrap_or_default();
        let is_in_turn = matches!(turn, Turn::Told(_)) == n.is_multiple_of(2);
        if !is_in_turn || result_ids(turn) != before {
            // An answer that lacks its results goes with them.
            return if before.is_empty() { n } else { n - 1 };
        }
    }
    let is_open = turns.last().is_some_and(|last| !call_ids(last).is_empty());
    turns.len() - usize::from(is_open)
}

fn call_ids(turn: &Turn) -> Vec<&str> {
    turn.parts().iter().filter_map(Part::call).map(|call| call.id.as_str()).collect()
}

fn result_ids(turn: &Turn) -> Vec<&str> {
    turn.said().iter().filter_map(Said::result).map(|result| result.id.as_str()).collect()
}
