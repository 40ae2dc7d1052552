//! What signed thinking is bound to: everything that stood before it. Some servers refuse thinking
//! behind a beginning that is not what it was, so it is replayed only behind the same one.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::model::{Tool, Turn};

/// Fingerprints of a conversation that grows at its end. Each turn is read twice at most, because
/// a session has thousands.
#[derive(Debug)]
pub struct Growing<H> {
    /// Everything before the last turn, which may still grow
    settled: H,
    /// How many turns are in it
    turns: usize,
}

impl<H: Hasher + Clone> Growing<H> {
    /// A conversation that has only its head.
    pub fn behind(head: H) -> Self {
        Self { settled: head, turns: 0 }
    }

    /// A fingerprint of the head and these turns. Since the call before, only the last turn may
    /// have grown, and others may have come behind it.
    pub fn with(&mut self, turns: &[Turn]) -> u64 {
        let Some((last, before)) = turns.split_last() else { return self.settled.finish() };
        for turn in before.iter().skip(self.turns) {
            turn.hash(&mut self.settled);
        }
        self.turns = before.len();
        let mut hasher = self.settled.clone();
        last.hash(&mut hasher);
        hasher.finish()
    }
}

/// Input before all turns: the system prompt and the tools.
#[derive(Debug, Clone, Default)]
pub struct Head(DefaultHasher);

impl Head {
    /// The beginning of a request.
    pub fn of(system: Option<&str>, tools: &[Tool]) -> Self {
        let mut hasher = DefaultHasher::new();
        system.hash(&mut hasher);
        for Tool { name, about, schema } in tools {
            let schema = serde_json::to_string(&**schema).unwrap_or_default();
            (name, about, schema).hash(&mut hasher);
        }
        Self(hasher)
    }

    /// A fingerprint of this and the turns behind it.
    pub fn with(&self, turns: &[Turn]) -> u64 {
        self.growing().with(turns)
    }

    /// Fingerprints of this and a conversation behind it that grows.
    pub fn growing(&self) -> Growing<DefaultHasher> {
        Growing::behind(self.0.clone())
    }

    /// Fingerprints of the input before each turn.
    pub fn before_each(&self, turns: &[Turn]) -> Vec<u64> {
        let mut hasher = self.0.clone();
        let before = |turn: &Turn| {
            let before = hasher.finish();
            turn.hash(&mut hasher);
            before
        };
        turns.iter().map(before).collect()
    }
}
