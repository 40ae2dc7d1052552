//! The one pass over a text that sanitizes it, at once or as the text comes.

use unicode_width::UnicodeWidthChar as _;

use super::{
    chars::{JOINER, is_hidden, is_pictograph, is_presentation, is_unassigned},
    escape::Scanner,
};

/// Replacement of an escape sequence.
pub(super) const MARK: &str = "⟦esc⟧";

/// Replacement of a line break in a single line.
pub(super) const BREAK: &str = " ⏎ ";

/// How many marks one letter may carry: more climb over the lines above it.
const MARKS: usize = 4;

/// Whether a character is judged by the one behind it.
fn is_half(c: char) -> bool {
    matches!(c, '\r' | JOINER)
}

/// Whether it stays as it is, whatever stands beside it: almost all that there is of most texts.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

/// Whether line breaks stay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Shape {
    Line,
    #[default]
    Text,
}

/// Sanitizes texts one after the other as if they were one.
#[derive(Debug, Clone, Default)]
pub(super) struct Sanitizer {
    shape: Shape,
    /// Sanitized text that was not taken yet
    out: String,
    hidden: usize,
    /// The last character of this line that takes room.
    base: Option<char>,
    /// The last character of this line.
    last: Option<char>,
    marks: usize,
    is_broken: bool,
    /// Whether an escape sequence was the last thing to be shown.
    is_marked: bool,
}

impl Sanitizer {
    pub(super) fn with_room(shape: Shape, room: usize) -> Self {
        Self { shape, out: String::with_capacity(room), ..Self::default() }
    }

    /// Sanitizes what comes next, and gives how many bytes of it were judged. What could only be
    /// judged together with what follows is left, up to `most` bytes of it; with none, nothing is.
    pub(super) fn sanitize(&mut self, text: &str, most: usize) -> usize {
        let mut scanner = Scanner::new(text);
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let plain = text.as_bytes()[at..].iter().take_while(|byte| is_plain(**byte)).count();
            if plain > 0 {
                self.show_plain(&text[at..at + plain]);
                at += plain;
                continue;
            }
            let left = text.len() - at;
            if let Some(sequence) = scanner.sequence(at) {
                if sequence.is_open && left <= most {
                    return at;
                }
                self.escape(sequence.is_plain);
                at = sequence.end;
            } else {
                if is_half(c) && left == c.len_utf8() && left <= most {
                    return at;
                }
                at += c.len_utf8();
                self.judge(c, text[at..].chars().next());
            }
        }
        at
    }

    /// Takes the text sanitized since the last call, and the number of hidden characters.
    pub(super) fn take(&mut self) -> (String, usize) {
        (std::mem::take(&mut self.out), std::mem::take(&mut self.hidden))
    }

    fn judge(&mut self, c: char, next: Option<char>) {
        match c {
            '\r' if next == Some('\n') => {}
            '\n' | '\r' => self.line_break(),
            '\u{85}' | '\u{2028}' | '\u{2029}' => match self.shape {
                Shape::Line => self.show(' '),
                Shape::Text => self.line_break(),
            },
            '\t' => {
                let width = if self.shape == Shape::Line { 1 } else { 4 };
                (0..width).for_each(|_| self.show(' '));
            }
            '\0'..='\u{1f}' | '\u{7f}' => {
                self.show('^');
                self.show(char::from(u8::try_from(c).unwrap_or(0) ^ 0x40));
            }
            '\u{80}'..='\u{9f}' => self.show('\u{fffd}'),
            _ if self.may_stay(c, next) => self.push(c),
            _ if is_hidden(c) => self.hidden += 1,
            _ if is_unassigned(c) => self.show('\u{fffd}'),
            _ if c.width() == Some(0) => self.mark(c),
            _ => self.show(c),
        }
    }

    /// Joiners inside an emoji and the word on how a character is shown are the two that people
    /// write on purpose.
    fn may_stay(&self, c: char, next: Option<char>) -> bool {
        if c == JOINER {
            return self.base.is_some_and(is_pictograph) && next.is_some_and(is_pictograph);
        }
        is_presentation(c) && self.last.is_some_and(|last| !is_presentation(last))
    }

    fn line_break(&mut self) {
        match self.shape {
            Shape::Line => self.is_broken = !self.out.is_empty(),
            Shape::Text => self.out.push('\n'),
        }
        (self.base, self.last, self.marks) = (None, None, 0);
        self.is_marked = false;
    }

    fn escape(&mut self, is_plain: bool) {
        if is_plain {
            return;
        }
        self.hidden += 1;
        if !self.is_marked {
            MARK.chars().for_each(|c| self.show(c));
            self.is_marked = true;
        }
    }

    fn mark(&mut self, c: char) {
        if self.base.is_none() {
            // What it would stand on is not ours: a border, or a word of the program.
            self.show('\u{25cc}');
        }
        if self.marks == MARKS {
            self.hidden += 1;
        } else {
            self.marks += 1;
            self.push(c);
        }
    }

    fn show(&mut self, c: char) {
        self.begin();
        (self.base, self.marks) = (Some(c), 0);
        self.push(c);
    }

    /// As [`Self::show`] of each character, which is one byte.
    fn show_plain(&mut self, part: &str) {
        self.begin();
        (self.base, self.last, self.marks) = (part.chars().last(), part.chars().last(), 0);
        self.is_marked = false;
        self.out.push_str(part);
    }

    /// Shows the line break that was waited with.
    fn begin(&mut self) {
        if std::mem::take(&mut self.is_broken) {
            self.out.push_str(BREAK);
        }
    }

    fn push(&mut self, c: char) {
        self.is_marked = false;
        self.last = Some(c);
        self.out.push(c);
    }
}
