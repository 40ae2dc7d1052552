//! The texts that were not sent, or not saved, by what they are for.

use std::collections::{BTreeMap, BTreeSet};

use super::drafts::{Address, Draft, Purpose, Sending};
use crate::model::{Effect, Record};

/// All texts that were not sent, or not saved.
#[derive(Debug, Default)]
pub struct Drafts {
    kept: BTreeMap<Purpose, Draft>,
    /// Those that could not be written to disk
    unsaved: BTreeSet<Purpose>,
    /// Whether nothing is written to disk
    is_in_memory: bool,
}

impl Drafts {
    /// Those that were kept on disk.
    pub fn new(kept: BTreeMap<Purpose, Draft>) -> Self {
        Self { kept, ..Self::default() }
    }

    /// Those of a control room that writes nothing to disk.
    pub fn in_memory() -> Self {
        Self { is_in_memory: true, ..Self::default() }
    }

    /// The text for this.
    pub fn get(&self, purpose: impl Into<Purpose>) -> Option<&Draft> {
        self.kept.get(&purpose.into())
    }

    /// Messages whose sending had begun, and that may be stored.
    pub fn unsure(&self) -> BTreeMap<Address, Sending> {
        let begun = |(purpose, draft): (&Purpose, &Draft)| {
            let (Purpose::Message(address), Some(key)) = (purpose, &draft.key) else { return None };
            let (key, address, text) = (key.clone(), address.clone(), draft.text.clone());
            Some((address.clone(), Sending { key, address, text, reply_to: draft.reply_to }))
        };
        self.all().filter_map(begun).collect()
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

    /// All of them, by what they are for.
    pub fn all(&self) -> impl Iterator<Item = (&Purpose, &Draft)> {
        self.kept.iter()
    }

    /// Notes that the text for this could not be written to disk.
    pub fn not_saved(&mut self, purpose: Purpose) {
        self.unsaved.insert(purpose);
    }

    /// Notes that the text for this is on disk. Returns whether it could not be written before.
    pub fn saved(&mut self, purpose: &Purpose) -> bool {
        self.unsaved.remove(purpose)
    }

    /// Whether the text for this is on disk, as far as it is known.
    pub fn is_on_disk(&self, purpose: impl Into<Purpose>) -> bool {
        !self.is_in_memory && !self.unsaved.contains(&purpose.into())
    }

    /// Whether all texts are on disk, as far as it is known, and the next one will be. The
    /// file of a text that is done with may not have been removed.
    pub fn are_on_disk(&self) -> bool {
        !self.is_in_memory && !self.kept.keys().any(|purpose| self.unsaved.contains(purpose))
    }
}
