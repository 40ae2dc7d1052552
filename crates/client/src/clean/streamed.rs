//! Text that comes in pieces, cleaned as if it came at once.

use unicode_width::UnicodeWidthChar as _;

use super::Clean;

/// The longest escape sequence that is waited for.
const LONGEST_SEQUENCE: usize = 4096;

/// The longest letter, with its accents, that is remembered.
const LONGEST_LETTER: usize = 64;

/// Text of an agent as it grows. What could only be judged together with what follows is held
/// back: half an escape sequence, the first half of a line break.
#[derive(Debug, Clone, Default)]
pub struct Streamed {
    held: String,
    /// The last letter that was shown, for accents that come behind it
    last: String,
}

impl Streamed {
    /// What can be shown once this piece has come.
    pub fn push(&mut self, piece: &str) -> Clean {
        self.held.push_str(piece);
        let rest = self.held.split_off(ready(&self.held));
        let shown = std::mem::replace(&mut self.held, rest);
        self.cleaned(&shown)
    }

    /// What is left when nothing more comes.
    pub fn finish(&mut self) -> Clean {
        let rest = std::mem::take(&mut self.held);
        self.cleaned(&rest)
    }

    fn cleaned(&mut self, text: &str) -> Clean {
        let Clean { text: whole, hidden } = Clean::text(&format!("{}{text}", self.last));
        let shown = match whole.strip_prefix(&self.last) {
            Some(news) => Clean { text: news.to_owned(), hidden },
            None => Clean::text(text),
        };
        let letter = whole.char_indices().rev().find(|(_, c)| c.width().unwrap_or(0) > 0);
        let last = letter.map(|(at, _)| &whole[at..]).filter(|last| last.len() <= LONGEST_LETTER);
        last.unwrap_or_default().clone_into(&mut self.last);
        shown
    }
}

/// How many bytes of a text are not changed by what may follow.
fn ready(text: &str) -> usize {
    let begins = |c: char| c == '\x1b' || ('\u{80}'..='\u{9f}').contains(&c);
    // A line that holds the beginning of a sequence waits for its end.
    let line = text.rfind('\n').map_or(0, |at| at + 1);
    match text[line..].find(begins) {
        Some(at) if text.len() - line - at < LONGEST_SEQUENCE => line + at,
        _ if text.ends_with('\r') => text.len() - 1,
        _ => text.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn streamed(pieces: &[&str]) -> Vec<String> {
        let mut stream = Streamed::default();
        let mut shown: Vec<_> = pieces.iter().map(|piece| stream.push(piece).text).collect();
        shown.push(stream.finish().text);
        shown
    }

    #[test]
    fn text_is_shown_as_it_comes() {
        assert_eq!(streamed(&["Hel", "lo\n", "wor", "ld"]), ["Hel", "lo\n", "wor", "ld", ""]);
    }

    #[test]
    fn what_belongs_together_is_not_torn() {
        let hostile = "ab\x1b]0;a title\x07c\x1b[31mred\x1b[0m e\u{301}x\r\ny";
        let whole = Clean::text(hostile).to_string();
        for size in 1..6 {
            let chars: Vec<char> = hostile.chars().collect();
            let pieces: Vec<String> =
                chars.chunks(size).map(|part| part.iter().collect()).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            assert_eq!(streamed(&pieces).concat(), whole, "in pieces of {size}");
        }
    }

    #[test]
    fn a_sequence_without_an_end_holds_nothing_up_for_ever() {
        let mut stream = Streamed::default();
        let mut shown = stream.push("\x1b]0;").text;
        for _ in 0..LONGEST_SEQUENCE {
            shown.push_str(stream.push("a").as_str());
        }
        assert!(!shown.is_empty());
    }
}
