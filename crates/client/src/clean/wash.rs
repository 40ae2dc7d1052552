//! The one pass over a text that makes it clean.

use unicode_width::UnicodeWidthChar as _;

use super::{
    Clean,
    chars::{JOINER, is_hidden, is_nobodys, is_pictograph, is_presentation},
    escape::Scanner,
};

/// What stands where an escape sequence stood.
pub(super) const MARK: &str = "⟦esc⟧";

/// What stands where a single line was broken.
pub(super) const BREAK: &str = " ⏎ ";

/// How many marks one letter may carry: more climb over the lines above it.
const MARKS: usize = 4;

/// Whether line breaks stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Line,
    Text,
}

struct Washer {
    shape: Shape,
    out: String,
    hidden: usize,
    /// The last character of this line that takes room.
    base: Option<char>,
    /// The last character of this line.
    last: Option<char>,
    marks: usize,
    is_broken: bool,
}

pub(super) fn wash(text: &str, shape: Shape) -> Clean {
    let mut washer = Washer {
        shape,
        out: String::with_capacity(text.len()),
        hidden: 0,
        base: None,
        last: None,
        marks: 0,
        is_broken: false,
    };
    let mut scanner = Scanner::new(text);
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if let Some(sequence) = scanner.sequence(at) {
            washer.escape(sequence.is_plain);
            at = sequence.end;
        } else {
            at += c.len_utf8();
            washer.take(c, text[at..].chars().next());
        }
    }
    Clean { text: washer.out, hidden: washer.hidden }
}

impl Washer {
    fn take(&mut self, c: char, next: Option<char>) {
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
            _ if is_nobodys(c) => self.show('\u{fffd}'),
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
    }

    fn escape(&mut self, is_plain: bool) {
        if is_plain {
            return;
        }
        self.hidden += 1;
        if self.is_broken || !self.out.ends_with(MARK) {
            MARK.chars().for_each(|c| self.show(c));
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
        if std::mem::take(&mut self.is_broken) {
            self.out.push_str(BREAK);
        }
        (self.base, self.marks) = (Some(c), 0);
        self.push(c);
    }

    fn push(&mut self, c: char) {
        self.last = Some(c);
        self.out.push(c);
    }
}
