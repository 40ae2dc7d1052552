//! The texts that were not sent, or not saved, by what they are for.

use std::collections::BTreeMap;

use super::drafts::{Draft, Purpose};
use crate::model::effects::{Effect, Record};

/// All texts that were not sent, or not saved.
#[derive(Debug, Default)]
pub struct Drafts {
    kept: BTreeMap<Purpose, Draft>,
}

impl Drafts {
    /// Those that were kept on disk.
    pub fn new(kept: BTreeMap<Purpose, Draft>) -> Self {
        Self { kept }
    }

    /// The text for this.
    pub fn get(&self, purpose: impl Into<Purpose>) -> Option<&Draft> {
        self.kept.get(&purpose.into())
    }

    /// Keeps a text, in memory and on disk; an empty one is none.
    #[must_use]
    pub fn keep(&mut self, purpose: impl Into<Purpose>, draft: Draft) -> Effect {
        let purpose = purpose.into();
        if draft.text.is_empty() {
            self.kept.remove(&purpose);
        } else {
            self.kept.insert(purpose.clone(), draft.clone());
        }
        Effect::Store(Record::Draft(purpose, draft))
    }

    /// Keeps the text for this on disk as it is in memory.
    #[must_use]
    pub fn again(&self, purpose: impl Into<Purpose>) -> Option<Effect> {
        let purpose = purpose.into();
        let draft = self.kept.get(&purpose)?.clone();
        Some(Effect::Store(Record::Draft(purpose, draft)))
    }

    /// The text for this, without anything about it.
    pub fn text(&self, purpose: impl Into<Purpose>) -> &str {
        self.get(purpose).map_or("", |draft| &draft.text)
    }

    /// Forgets the texts whose purpose is over.
    pub fn forget(&mut self, is_over: impl Fn(&Purpose) -> bool) -> Vec<Effect> {
        let over: Vec<Purpose> = self.kept.keys().filter(|it| is_over(it)).cloned().collect();
        over.into_iter().map(|purpose| self.keep(purpose, Draft::default())).collect()
    }

    /// The database is another: forgets answers and votes, and which messages the others answer.
    pub fn begin_anew(&mut self) -> Vec<Effect> {
        let mut effects =
            self.forget(|purpose| matches!(purpose, Purpose::Answer(_) | Purpose::Vote(..)));
        for (purpose, draft) in &mut self.kept {
            if draft.reply_to.take().is_some() {
                effects.push(Effect::Store(Record::Draft(purpose.clone(), draft.clone())));
            }
        }
        effects
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.kept.len()
    }
}
