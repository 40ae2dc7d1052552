//! Text that comes in pieces, sanitized as if it came at once.

use super::{sanitized::Sanitized, sanitizer::Sanitizer};

/// The longest beginning of an escape sequence that is waited on.
pub(super) const LONGEST_SEQUENCE: usize = 4096;

/// Text of an agent as it grows. What could only be judged together with what follows is held
/// back: half an escape sequence, the first half of a line break. A sequence that is still not
/// whole when it is long counts as cut off.
#[derive(Debug, Clone, Default)]
pub struct Streamed {
    held: String,
    sanitizer: Sanitizer,
}

impl Streamed {
    /// Returns the text that can be shown after this piece.
    pub fn push(&mut self, piece: &str) -> Sanitized {
        self.held.push_str(piece);
        self.sanitize(LONGEST_SEQUENCE)
    }

    /// Returns the rest after the last piece.
    pub fn finish(&mut self) -> Sanitized {
        self.sanitize(0)
    }

    fn sanitize(&mut self, most: usize) -> Sanitized {
        let judged = self.sanitizer.sanitize(&self.held, most);
        self.held.drain(..judged);
        let (text, hidden) = self.sanitizer.take();
        Sanitized { text, hidden }
    }
}

#[cfg(test)]
#[path = "tests/streamed.rs"]
mod tests;
