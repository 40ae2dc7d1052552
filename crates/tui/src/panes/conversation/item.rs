//! The lines of a conversation in their order: messages, and what happened between them.

use agent_worker_protocol::{Conversation, Message, MessageType, Timestamp};

use crate::model::{
    Model, Talk,
    known::talks::{Kinds, Mark},
    notes::Note,
};

#[derive(Debug, Clone, Copy)]
pub enum Entry<'a> {
    Message(&'a Message),
    /// What happened after a message.
    Note(&'a Note, i64),
}

impl<'a> Entry<'a> {
    /// What it is known by.
    pub fn mark(self) -> Mark {
        match self {
            Self::Message(message) => Mark::message(message.seq),
            Self::Note(note, seq) => Mark { seq, note: Some((note.at.0, note.number)) },
        }
    }

    pub fn at(self) -> Timestamp {
        match self {
            Self::Message(message) => message.created_at,
            Self::Note(note, _) => note.at,
        }
    }

    /// The message, if it is one.
    pub fn message(self) -> Option<&'a Message> {
        match self {
            Self::Message(message) => Some(message),
            Self::Note(..) => None,
        }
    }
}

/// Those of a conversation that are shown. What happened before the first message that is loaded
/// is known to belong there only if no earlier message exists.
pub fn items<'a>(model: &'a Model, talk: &'a Talk) -> Vec<Entry<'a>> {
    let mut items = Vec::with_capacity(talk.messages.len());
    let mut notes = notes(model, talk).into_iter().peekable();
    let is_shown = |message: &Message| match talk.kinds {
        Kinds::All => true,
        Kinds::Said => message.kind == MessageType::Message,
        Kinds::Happened => message.kind == MessageType::System,
    };
    let mut before = None;
    for message in &talk.messages {
        while let Some(note) = notes.next_if(|note| note.at < message.created_at) {
            if before.is_some() || !talk.has_older {
                items.push(Entry::Note(note, before.unwrap_or(0)));
            }
        }
        if is_shown(message) {
            items.push(Entry::Message(message));
        }
        before = Some(message.seq);
    }
    if !talk.has_newer {
        items.extend(notes.map(|note| Entry::Note(note, before.unwrap_or(0))));
    }
    items
}

fn notes<'a>(model: &'a Model, talk: &Talk) -> Vec<&'a Note> {
    let first = talk.messages.front();
    let is_channel = first.is_some_and(|first| first.group == Conversation::Channel);
    let scope = first.map(|first| &first.scope).filter(|_| is_channel && talk.kinds != Kinds::Said);
    scope.into_iter().flat_map(|scope| model.known.talks.notes.of(scope)).collect()
}
