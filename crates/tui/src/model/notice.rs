//! The line that tells the person what was done, or what went wrong.

use super::{effects::Effect, whole::Model};

/// A line for the person, until a key or for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub text: String,
    /// Whether it is bad news: it stays until a key is pressed
    pub is_error: bool,
    /// When it came, ms
    pub since: i64,
    /// What ends it before a key does
    pub until: Option<Until>,
}

/// What puts right what a line tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// A picture of the daemon
    Picture,
    /// What was to be shown first
    Arrival,
}

impl Model {
    /// Tells the person something good. That is all: no effects follow.
    pub fn tell(&mut self, text: impl Into<String>) -> Vec<Effect> {
        self.notice(text.into(), false, None)
    }

    /// Tells the person something that went wrong. That is all: no effects follow.
    pub fn warn(&mut self, text: impl Into<String>) -> Vec<Effect> {
        self.notice(text.into(), true, None)
    }

    /// Tells the person something that went wrong, until it is put right. No effects follow.
    pub fn warn_until(&mut self, until: Until, text: String) -> Vec<Effect> {
        self.notice(text, true, Some(until))
    }

    /// Takes back what was told until now.
    pub fn put_right(&mut self, until: Until) {
        self.prompt.notice.take_if(|notice| notice.until == Some(until));
    }

    fn notice(&mut self, text: String, is_error: bool, until: Option<Until>) -> Vec<Effect> {
        self.prompt.notice = Some(Notice { text, is_error, since: self.now, until });
        Vec::new()
    }
}
