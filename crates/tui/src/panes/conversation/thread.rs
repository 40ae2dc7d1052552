//! Which messages answer each other: a line in the margin ties those of a thread together.

use std::collections::{BTreeSet, HashMap};

use agent_worker_protocol::MessageId;

use super::{item::Entry, pages::Pages};
use crate::{parts::flow::Flow as _, theme::Role};

/// The thread of the selected message, as far as it is loaded: lines of the conversation.
#[derive(Debug, Default)]
pub struct Thread {
    lines: BTreeSet<usize>,
}

impl Thread {
    /// Empty without a selected message, and where that neither answers nor is answered.
    pub fn of(pages: &Pages<'_>) -> Self {
        let selected = pages.talk.selected.filter(|mark| mark.note.is_none());
        let Some(own) = selected else { return Self::default() };
        // An answer comes after what it answers.
        let mut roots: HashMap<MessageId, MessageId> = HashMap::new();
        for message in &pages.talk.messages {
            let above = message.reply_to.map(|to| roots.get(&to).copied().unwrap_or(to));
            roots.insert(message.id, above.unwrap_or(message.id));
        }
        let Some(root) = roots.get(&MessageId::new(own.seq)) else { return Self::default() };
        let is_in = |line: &usize| {
            let message = pages.get(*line).and_then(Entry::message);
            message.is_some_and(|message| roots.get(&message.id) == Some(root))
        };
        let lines: BTreeSet<usize> = (0..pages.len()).filter(is_in).collect();
        if lines.len() < 2 { Self::default() } else { Self { lines } }
    }

    /// What stands in the margin of a row: `row` is its number below the rules above its line.
    pub fn margin(
        &self,
        pages: &Pages<'_>,
        line: usize,
        row: usize,
    ) -> Option<(&'static str, Role)> {
        let symbols = pages.model.symbols();
        let [top, _, bottom, _] = symbols.corners;
        let is_within = self.lines.first().zip(self.lines.last());
        let is_within = is_within.filter(|(first, last)| (**first..=**last).contains(&line));
        let Some((first, last)) = is_within else {
            let message = pages.get(line)?.message()?;
            return (row == 0 && message.reply_to.is_some()).then_some((bottom, Role::Dim));
        };
        let symbol = match (self.lines.contains(&line), row) {
            (true, 0) if line == *first => top,
            (true, 0) if line == *last => bottom,
            (true, 0) => symbols.tees[0],
            (true, _) if line == *last => return None,
            _ => symbols.vertical,
        };
        Some((symbol, Role::Accent))
    }
}
