//! Where an escape sequence ends: ECMA-48 in its 7-bit and 8-bit forms, whole or broken off.

/// An escape sequence at some place of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sequence {
    /// The byte after its last.
    pub end: usize,
    /// Whether it only colours or clears a line, as most programs' output does all the time.
    pub is_plain: bool,
    /// Whether the text ended before it did: more of the text might make another of it.
    pub is_open: bool,
}

/// Finds the ends of escape sequences in one text, where each part is read once:
/// a text that opens thousands of strings and ends none of them costs no more than another.
pub(super) struct Scanner<'t> {
    text: &'t str,
    /// The first character at or after the last place asked for that can end a string.
    stop: Option<usize>,
}

const ESC: char = '\u{1b}';

/// Ends a string, or breaks it off.
fn is_stop(c: char) -> bool {
    matches!(c, '\u{7}' | '\u{18}' | '\u{1a}' | ESC | '\u{9c}')
}

fn skip(bytes: &[u8], at: usize, wanted: std::ops::RangeInclusive<u8>) -> usize {
    at + bytes[at..].iter().take_while(|byte| wanted.contains(byte)).count()
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, stop: None }
    }

    /// The sequence that begins at this byte, if one does.
    pub(super) fn sequence(&mut self, at: usize) -> Option<Sequence> {
        let first = self.text.get(at..)?.chars().next()?;
        let after = at + first.len_utf8();
        match first {
            ESC => Some(self.after_esc(after)),
            '\u{9b}' => Some(self.control(after)),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => Some(self.string(after)),
            _ => None,
        }
    }

    fn after_esc(&mut self, at: usize) -> Sequence {
        let bytes = self.text.as_bytes();
        let end = match bytes.get(at) {
            Some(b'[') => return self.control(at + 1),
            Some(b']' | b'P' | b'X' | b'^' | b'_') => return self.string(at + 1),
            Some(0x20..=0x2f) => skip(bytes, at, 0x20..=0x2f),
            _ => at,
        };
        let last = bytes.get(end);
        let end = if matches!(last, Some(0x30..=0x7e)) { end + 1 } else { end };
        Sequence { end, is_plain: false, is_open: last.is_none() }
    }

    /// A control sequence. What breaks it off does not belong to it.
    fn control(&self, at: usize) -> Sequence {
        let bytes = self.text.as_bytes();
        let end = skip(bytes, skip(bytes, at, 0x30..=0x3f), 0x20..=0x2f);
        match bytes.get(end) {
            Some(last @ 0x40..=0x7e) => {
                Sequence { end: end + 1, is_plain: matches!(last, b'm' | b'K'), is_open: false }
            }
            broken => Sequence { end, is_plain: false, is_open: broken.is_none() },
        }
    }

    /// A control string. An unended one takes the rest of its line and no more, lest three
    /// bytes of an agent hide all that follows.
    fn string(&mut self, at: usize) -> Sequence {
        let stop = self.stop_after(at);
        let rest = &self.text[stop..];
        // Whether an escape ends it or breaks it off, the next character says.
        let is_open = matches!(rest, "" | "\u{1b}");
        let end = match rest.chars().next() {
            Some(end @ ('\u{7}' | '\u{9c}')) => stop + end.len_utf8(),
            Some(ESC) if rest.as_bytes().get(1) == Some(&b'\\') => stop + 2,
            broken => {
                let line = self.text[at..stop].find('\n').map(|length| at + length);
                let aborted = matches!(broken, Some('\u{18}' | '\u{1a}'));
                line.unwrap_or(if aborted { stop + 1 } else { stop })
            }
        };
        Sequence { end, is_plain: false, is_open }
    }

    fn stop_after(&mut self, at: usize) -> usize {
        match self.stop {
            Some(stop) if stop >= at => stop,
            _ => {
                let found = self.text[at..].find(is_stop);
                let stop = found.map_or(self.text.len(), |length| at + length);
                *self.stop.insert(stop)
            }
        }
    }
}
