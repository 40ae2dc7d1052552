//! Text that comes in pieces, cleaned as if it came at once.

use agent_worker_client::Clean;
use unicode_width::UnicodeWidthChar as _;

/// The longest escape sequence that is waited for.
const LONGEST_SEQUENCE: usize = 4096;

/// Text of an agent as it grows. What could only be judged together with what follows is held
/// back: half an escape sequence, the first half of a line break, a letter without its accents.
#[derive(Debug, Default)]
pub struct Streamed {
    held: String,
}

impl Streamed {
    /// What can be shown once this piece has come.
    pub fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let ready = ready(&self.held);
        let rest = self.held.split_off(ready);
        let shown = std::mem::replace(&mut self.held, rest);
        Clean::text(&shown).to_string()
    }

    /// What is left when nothing more comes.
    pub fn finish(&mut self) -> String {
        Clean::text(&std::mem::take(&mut self.held)).to_string()
    }
}

/// How many bytes of a text nothing that follows can change.
fn ready(text: &str) -> usize {
    let begins = |c: char| c == '\x1b' || ('\u{80}'..='\u{9f}').contains(&c);
    // A line that holds the beginning of a sequence waits for its end.
    let line = text.rfind('\n').map_or(0, |at| at + 1);
    if let Some(at) = text[line..].find(begins)
        && text.len() - line - at < LONGEST_SEQUENCE
    {
        return line + at;
    }
    let last = text
        .char_indices()
        .rev()
        .find(|(_, c)| c.width().unwrap_or(0) > 0 || *c == '\r' || *c == '\n');
    match last {
        Some((at, '\n')) => at + 1,
        Some((at, _)) => at,
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn streamed(pieces: &[&str]) -> Vec<String> {
        let mut stream = Streamed::default();
        let mut shown: Vec<_> = pieces.iter().map(|piece| stream.push(piece)).collect();
        shown.push(stream.finish());
        shown
    }

    #[test]
    fn text_is_shown_as_it_comes() {
        assert_eq!(streamed(&["Hel", "lo\n", "wor", "ld"]), ["He", "llo\n", "wo", "rl", "d"]);
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
        let mut shown = stream.push("\x1b]0;");
        for _ in 0..LONGEST_SEQUENCE {
            shown.push_str(&stream.push("a"));
        }
        assert!(!shown.is_empty());
    }
}
