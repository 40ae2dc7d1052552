//! What comes from the terminal, and where it goes.

use std::sync::{Arc, Mutex, PoisonError};

use crate::{key::Key, mouse::Mouse};

/// What comes from the terminal, and about it.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// A key was pressed.
    Key(Key),
    /// Text came as keys, faster than anyone types. Only a text field takes it.
    Burst(Vec<Key>),
    /// A text was pasted. It is as it came: to be cleaned before anything else.
    Paste(String),
    Mouse(Mouse),
    /// The terminal has this many columns and rows.
    Resize(u16, u16),
    /// The terminal has the focus of its surroundings, or no more.
    Focus(bool),
    /// The terminal answered a question.
    Answer(Answer),
    Signal(Signal),
    /// A frame may be drawn again, after [`Terminal::is_busy`] said that none may.
    Free,
    /// The terminal is gone: nothing can be read or written any more.
    Lost,
}

/// What the terminal said of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The last answer: questions without an answer are unknown to the terminal.
    Attributes {
        /// Whether it says that programs may write its clipboard
        clipboard: bool,
    },
    /// Whether it can show a frame at once.
    Synchronized(bool),
    Background(u8, u8, u8),
    /// How many cells it gives a character whose width is a matter of opinion.
    Ambiguous(u16),
    /// It tells which key was pressed apart from what the key produces.
    Keyboard,
    /// It has shown all that was written.
    Ready,
}

/// A signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// The process is asked to end.
    Terminate,
    /// Its terminal is about to go.
    HangUp,
    /// It is interrupted, from outside: the key is a key.
    Interrupt,
    /// It is to stop until it is continued: [`Terminal::suspend`].
    Stop,
    /// It was continued: [`Terminal::resume`].
    Continue,
}

/// Where what comes from the terminal goes.
#[derive(Clone)]
pub struct Sink(pub Arc<Mutex<dyn Fn(Input) + Send>>);

impl Sink {
    pub fn send(&self, input: Input) {
        (self.0.lock().unwrap_or_else(PoisonError::into_inner))(input);
    }
}
