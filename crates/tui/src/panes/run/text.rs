//! The text of a block: as it came, and clean as far as nothing that follows can change it.

use agent_worker_client::{Clean, clean::Streamed};

/// A text that grows at its end.
#[derive(Debug, Default)]
pub struct Growing {
    raw: String,
    /// What is shown while it grows: only ever added to
    clean: String,
    /// What is shown once it is whole
    whole: Option<Clean>,
    streamed: Streamed,
    hidden: usize,
    /// How often what is shown became another
    edition: u32,
}

impl Growing {
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// What can be shown of it.
    pub fn clean(&self) -> &str {
        self.whole.as_ref().map_or(&self.clean, Clean::as_str)
    }

    /// The same, once it is whole.
    pub fn whole(&self) -> Option<&Clean> {
        self.whole.as_ref()
    }

    /// How many characters of it cannot be seen.
    pub fn hidden(&self) -> usize {
        self.whole.as_ref().map_or(self.hidden, Clean::hidden)
    }

    /// Changes whenever what is shown is no longer what was shown with something behind it.
    pub fn edition(&self) -> u32 {
        self.edition
    }

    /// Adds what was written since.
    pub fn push(&mut self, piece: &str) {
        self.raw.push_str(piece);
        if self.whole.take().is_some() {
            let raw = std::mem::take(&mut self.raw);
            self.clear();
            self.push(&raw);
            return;
        }
        let news = self.streamed.push(piece);
        self.hidden += news.hidden();
        self.clean.push_str(news.as_str());
    }

    /// Nothing more comes. What is shown is `as_shown` if that is another text than came.
    pub fn close(&mut self, as_shown: Option<&str>) {
        let whole = Clean::text(as_shown.unwrap_or(&self.raw));
        if whole.as_str() != self.clean() {
            self.edition += 1;
        }
        self.clean = String::new();
        self.streamed = Streamed::default();
        self.whole = Some(whole);
    }

    /// Forgets it: it will come again.
    pub fn clear(&mut self) {
        *self = Self { edition: self.edition + 1, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grown(pieces: &[&str]) -> Growing {
        let mut text = Growing::default();
        for piece in pieces {
            text.push(piece);
        }
        text
    }

    #[test]
    fn a_text_in_pieces_is_the_text_at_once() {
        let mut text = grown(&["ab\u{1b}", "[31mc", "\u{1b}[0m\n", "e", "\u{301}", "\r", "\nx"]);
        text.close(None);
        assert_eq!(text.clean(), "abc\ne\u{301}\nx");
        assert_eq!(text.raw(), "ab\u{1b}[31mc\u{1b}[0m\ne\u{301}\r\nx");
    }

    #[test]
    fn what_was_shown_is_only_added_to_until_the_edition_says_otherwise() {
        let mut text = Growing::default();
        let mut before = String::new();
        for piece in ["one ", "two\u{1b}]0;", "title\u{7}", " three\u{202e}", "\n"] {
            text.push(piece);
            assert!(text.clean().starts_with(&before), "{before:?}");
            text.clean().clone_into(&mut before);
        }
        assert_eq!(text.edition(), 0);
        text.close(Some("as it is shown"));
        assert_eq!((text.clean(), text.edition()), ("as it is shown", 1));
    }

    #[test]
    fn what_comes_after_the_end_is_not_lost() {
        let mut text = grown(&["one"]);
        text.close(None);
        text.push(" two");
        assert_eq!((text.raw(), text.clean()), ("one two", "one two"));
    }
}
