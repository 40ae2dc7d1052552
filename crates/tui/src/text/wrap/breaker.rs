//! Where lines are broken.

use std::ops::Range;

use crate::cells::{Cluster, cluster};

/// Whether a row that begins here continues the one before it.
pub fn continues(text: &str, at: usize) -> bool {
    at > 0 && text.as_bytes()[at - 1] != b'\n'
}

/// How wide lines are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Measure {
    width: usize,
    /// What a line that continues another is indented by
    pub(super) hang: usize,
}

impl Measure {
    /// A line holds a cell at least, and the indent leaves half of it and a wide character's room.
    pub(super) fn new(width: usize, hang: usize) -> Self {
        let width = width.max(1);
        Self { width, hang: if width < 4 { 0 } else { hang.min(width / 2) } }
    }
}

/// How far the next multiple of four is.
pub(super) const fn tab(column: usize) -> usize {
    4 - column % 4
}

/// The lines of a text as ranges of it, in one pass. Spaces at which a line is broken, and line
/// breaks, are in none of them. A stretch is read twice at most: when it is found not to fit, and
/// when it begins the next line.
pub(super) struct Lines<'a> {
    text: &'a str,
    /// Where a character ends in any case, since another piece of the row begins
    seams: &'a [usize],
    measure: Measure,
    at: usize,
    is_continued: bool,
}

impl<'a> Lines<'a> {
    /// The lines from one on that begins here.
    pub(super) fn from(text: &'a str, seams: &'a [usize], measure: Measure, start: usize) -> Self {
        Self { text, seams, measure, at: start, is_continued: continues(text, start) }
    }

    fn next_cluster(&self, at: usize) -> Option<Cluster> {
        let seam = self.seams.partition_point(|end| *end <= at);
        let end = self.seams.get(seam).copied().unwrap_or(self.text.len());
        cluster(self.text, at, end)
    }

    /// How many letters and digits follow each other here, a byte and a character each. The last
    /// before anything else may be a part of that, and is left out.
    fn letters(&self, at: usize, most: usize) -> usize {
        let pairs = self.text.as_bytes()[at..].windows(2).take(most);
        pairs.take_while(|two| two.iter().all(u8::is_ascii_alphanumeric)).count()
    }

    /// Ends a line here and begins the next behind the spaces that follow.
    fn broken(&mut self, line: Range<usize>) -> Range<usize> {
        let bytes = self.text.as_bytes();
        let spaces = bytes[line.end..].iter().take_while(|byte| is_space(**byte)).count();
        self.at = line.end + spaces;
        self.is_continued = true;
        match bytes.get(self.at) {
            Some(b'\n') => self.ended(self.at, line),
            _ => line,
        }
    }

    /// Ends a line at a line break that stands here.
    fn ended(&mut self, at: usize, line: Range<usize>) -> Range<usize> {
        self.at = at + 1;
        self.is_continued = false;
        line
    }
}

impl Iterator for Lines<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        if start >= self.text.len() {
            return None;
        }
        let indent = if self.is_continued { self.measure.hang } else { 0 };
        let room = self.measure.width - indent;
        let (mut at, mut used) = (start, 0);
        let (mut last_break, mut before) = (None, Kind::default());
        while let Some(next) = self.next_cluster(at) {
            let byte = self.text.as_bytes()[at];
            if byte == b'\n' {
                return Some(self.ended(at, start..at));
            }
            let kind = Kind::of(&self.text[at..next.end], next.cells);
            if at > start && before.may_part_from(kind) {
                last_break = Some(at);
            }
            used += if byte == b'\t' { tab(indent + used) } else { next.cells };
            if used > room && at > start {
                return Some(self.broken(start..last_break.unwrap_or(at)));
            }
            at = next.end;
            before = kind;
            if kind.part == Part::Word && !kind.is_wide && used < room {
                // The rest of a word: a cell each, and no place to break among them. Between a wide
                // character and the first of them there is one.
                let rest = self.letters(at, room - used);
                (at, used) = (at + rest, used + rest);
            }
        }
        self.at = self.text.len();
        Some(start..self.text.len())
    }
}

fn is_space(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// What a character is to the breaking of lines.
#[derive(Debug, Clone, Copy, Default)]
struct Kind {
    part: Part,
    /// It is a word by itself
    is_wide: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Space,
    Word,
    /// Stands at the end of no line
    Opens,
    /// Stands at the beginning of no line
    Closes,
}

impl Kind {
    fn of(cluster: &str, cells: usize) -> Self {
        let part = match cluster.chars().next() {
            Some(' ' | '\t') | None => Part::Space,
            Some(c) if opens(c) => Part::Opens,
            Some(c) if closes(c) => Part::Closes,
            Some(_) => Part::Word,
        };
        Self { part, is_wide: cells > 1 }
    }

    /// Whether a line may end between these two, the spaces that it ends in left out.
    fn may_part_from(self, next: Self) -> bool {
        if self.part == Part::Space || next.part == Part::Space {
            return self.part != Part::Space;
        }
        let is_open = self.part == Part::Opens || next.part == Part::Closes;
        (self.is_wide || next.is_wide) && !is_open
    }
}

fn opens(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, '(' | '[' | '{');
    }
    "（［｛「『【〈《〔〖“‘".contains(c)
}

fn closes(c: char) -> bool {
    const WIDE: &str = "）］｝」』】〉》〕〗”’、。，．：；？！％・ー々〜…\
        ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ";
    if c.is_ascii() {
        return matches!(c, ')' | ']' | '}' | ',' | '.' | ':' | ';' | '!' | '?' | '%');
    }
    WIDE.contains(c)
}
