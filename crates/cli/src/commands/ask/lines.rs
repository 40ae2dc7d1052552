//! The lines of an answer that grows, between which something else may be printed.

use agent_worker_client::sanitize::Streamed;

/// What of an answer is on the screen.
#[derive(Default)]
pub(super) struct Lines {
    answer: Streamed,
    has_text: bool,
    /// Whether the last line is not ended
    is_open: bool,
    /// Whether the last line break is not the answer's own
    is_parted: bool,
}

impl Lines {
    /// Whether anything of the answer has come.
    pub(super) fn has_text(&self) -> bool {
        self.has_text
    }

    /// Returns what to print of the next piece. A line break that it begins with was printed before
    /// where something else came between.
    pub(super) fn push(&mut self, piece: &str) -> String {
        self.has_text = true;
        let is_parted = std::mem::take(&mut self.is_parted);
        let piece = piece.strip_prefix('\n').filter(|_| is_parted).unwrap_or(piece);
        let text = self.answer.push(piece).to_string();
        self.note(&text);
        text
    }

    /// Returns what to print before something else: the rest of the answer, and its line's end.
    pub(super) fn end(&mut self) -> String {
        let mut text = self.answer.finish().to_string();
        self.note(&text);
        if std::mem::take(&mut self.is_open) {
            self.is_parted = true;
            text.push('\n');
        }
        text
    }

    fn note(&mut self, text: &str) {
        if !text.is_empty() {
            self.is_open = !text.ends_with('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is printed of pieces; `None` is something else between two of them.
    fn printed(pieces: &[Option<&str>]) -> String {
        let mut lines = Lines::default();
        let mut text = String::new();
        for piece in pieces {
            text += &match piece {
                Some(piece) => lines.push(piece),
                None => lines.end(),
            };
        }
        text + &lines.end()
    }

    #[test]
    fn a_line_break_is_left_out_only_where_it_was_printed_for_something_between() {
        for (pieces, text) in [
            (&[Some("one "), Some("two")][..], "one two\n"),
            (&[Some("Intro:\n"), Some("\n- item")], "Intro:\n\n- item\n"),
            (&[Some("Intro:\n\n"), Some("\n"), Some("\n- item")], "Intro:\n\n\n\n- item\n"),
            (&[Some("I look."), None, Some("\nDone.")], "I look.\nDone.\n"),
            (&[Some("I look."), None, None, Some("\nDone.")], "I look.\nDone.\n"),
            (&[Some("I look."), None, Some("\n\nDone.")], "I look.\n\nDone.\n"),
            (&[Some("I look.\n"), None, Some("\nDone.")], "I look.\n\nDone.\n"),
            (&[Some("I look."), None, Some("Done:\n"), Some("\nall")], "I look.\nDone:\n\nall\n"),
            (&[None, Some("\nDone.")], "\nDone.\n"),
            (&[None], ""),
        ] {
            assert_eq!(printed(pieces), text, "{pieces:?}");
        }
    }
}
