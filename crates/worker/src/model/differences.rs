//! What a server does not take of a request, learned from what it refuses. Each difference is
//! learned once, so that asking again has an end.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use agent_worker_protocol::Thinking;

use super::Told;

/// Something that a server does not take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// Thinking that is shown as a summary
    NoSummary,
    /// The highest effort of thinking
    LowerEffort,
    /// Any effort of thinking
    NoEffort,
    /// Thinking whose length the model chooses
    NoAdaptive,
    /// Any word about thinking
    NoThinking,
    /// Encrypted thinking
    NoEncrypted,
    /// The longest answer
    NoLongest,
    /// Marks of what is to be cached
    NoMarks,
    /// Turns of the model without their thinking
    ThinkingInEachTurn,
    /// A count of tokens in a stream
    NoCount,
    /// A user's message right behind results of tools
    NoUserAfterTool,
    /// The name under which it was asked for the longest answer at first
    OtherName,
}

/// The differences of a server that are known.
#[derive(Debug, Default)]
pub struct Differences(AtomicU32);

impl Differences {
    /// Those that are known beforehand.
    pub fn of(known: impl IntoIterator<Item = Difference>) -> Self {
        let bits = known.into_iter().fold(0, |bits, difference| bits | bit(difference));
        Self(AtomicU32::new(bits))
    }

    /// Whether a server has this one.
    pub fn has(&self, difference: Difference) -> bool {
        self.0.load(Relaxed) & bit(difference) != 0
    }

    /// OpenAI's word for how much to think, if the server takes one.
    pub fn effort(&self, level: Option<Thinking>) -> Option<&'static str> {
        let level = level.filter(|_| !self.has(Difference::NoEffort))?;
        Some(match level {
            Thinking::Off => "none",
            Thinking::Max if self.has(Difference::LowerEffort) => "high",
            Thinking::Max => "xhigh",
            level => level.as_str(),
        })
    }

    /// Notes one, and says whether it is new.
    pub fn add(&self, difference: Difference) -> bool {
        self.0.fetch_or(bit(difference), Relaxed) & bit(difference) == 0
    }

    /// Learns the first that a refusal names all words of and that is new.
    pub fn learn(&self, refusal: &Told, known: &[(&[&str], Difference)]) -> bool {
        let is_named = |words: &[&str]| words.iter().all(|word| refusal.names(word));
        known.iter().any(|(words, difference)| is_named(words) && self.add(*difference))
    }
}

const fn bit(difference: Difference) -> u32 {
    1 << difference as u32
}
