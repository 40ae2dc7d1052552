//! The first message from a time on: later messages have later times, so that a few looks at one
//! message each find it among any number.

use agent_worker_protocol::{Message, Timestamp};

/// What is left of the search.
#[derive(Debug)]
pub struct Since {
    at: Timestamp,
    /// The first message that is known to be from that time on
    found: Message,
    /// Every message up to this number is older
    before: i64,
    /// `found` is the first message above this number
    until: i64,
}

impl Since {
    /// Begins a search; `None` if the newest message is older.
    pub fn new(newest: Option<Message>, at: Timestamp) -> Option<Self> {
        let found = newest.filter(|newest| newest.created_at >= at)?;
        Some(Self { at, before: 0, until: found.seq - 1, found })
    }

    /// Above which number the first message is to be looked at; `None` at the end.
    pub fn next(&self) -> Option<i64> {
        (self.before < self.until).then(|| self.before + (self.until - self.before) / 2)
    }

    /// Takes the first message above this number.
    pub fn take(&mut self, above: i64, message: Option<Message>) {
        match message {
            Some(message) if message.created_at < self.at => self.before = message.seq,
            Some(message) => (self.found, self.until) = (message, above),
            None => self.until = above,
        }
    }

    /// The message that was found.
    pub fn found(self) -> Message {
        self.found
    }
}

#[cfg(test)]
#[path = "tests/since.rs"]
mod tests;
