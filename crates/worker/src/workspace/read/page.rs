//! The lines that one `read` gives, out of a text that comes in pieces.

use std::fmt::Write as _;

use memchr::memchr;

use crate::workspace::Limits;

/// A part of a text.
#[derive(Debug)]
pub struct Page {
    first: u64,
    most_lines: u64,
    most_bytes: usize,
    most_line: usize,
    text: String,
    /// The line that is being read: its number, its beginning, and its length
    number: u64,
    line: Vec<u8>,
    length: usize,
    /// The last line that is given
    last: u64,
    /// Where in the text the line that is being read begins, and where the lines given end
    begins: u64,
    ends: u64,
    ends_in_cr: bool,
    is_odd: bool,
    is_full: bool,
    left: Left,
}

/// What comes behind the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    /// The file has this many lines, the last of them with its end or without.
    Lines { all: u64, is_ended: bool },
    /// This many bytes.
    Bytes(u64),
    /// This many bytes, and what was asked for is too far away.
    Far(u64),
}

impl Page {
    pub fn new(limits: &Limits, first: Option<u64>, lines: Option<u64>) -> Self {
        let first = first.unwrap_or(1);
        Self {
            first,
            most_lines: lines.unwrap_or(limits.read_lines),
            most_bytes: limits.read_bytes,
            most_line: limits.line_bytes,
            text: String::new(),
            number: 1,
            line: Vec::new(),
            length: 0,
            last: first - 1,
            begins: 0,
            ends: 0,
            ends_in_cr: false,
            is_odd: false,
            is_full: false,
            left: Left::Bytes(0),
        }
    }

    /// Takes a piece. Once the page is full, lines are only counted.
    pub fn push(&mut self, piece: &[u8]) {
        let mut rest = piece;
        while let Some(end) = memchr(b'\n', rest) {
            self.grow(&rest[..end]);
            rest = &rest[end + 1..];
            self.finish(true);
        }
        self.grow(rest);
    }

    /// Whether nothing more can be given.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// There is no more.
    pub fn end(&mut self) {
        let is_ended = self.length == 0;
        if !is_ended {
            self.finish(false);
        }
        self.left = Left::Lines { all: self.number - 1, is_ended };
    }

    /// Stops here: the text has `all` bytes, and only `read` of them were read.
    pub fn stop(&mut self, all: u64, read: u64) {
        if self.is_full {
            self.left = Left::Bytes(all.saturating_sub(self.ends));
            return;
        }
        if self.length > 0 {
            self.finish(false);
        }
        self.left = Left::Far(all.saturating_sub(read));
    }

    /// All of it, or how many lines there are if none of them was asked for.
    pub fn told(self) -> Result<String, u64> {
        let Self { first, last, mut text, .. } = self;
        if let Left::Lines { all, .. } = self.left
            && all < first
            && first > 1
        {
            return Err(all);
        }
        let lines = format!("lines {first} to {last}");
        let next = last + 1;
        let note = match self.left {
            Left::Lines { all: 0, .. } => Some("the file is empty".to_owned()),
            Left::Lines { all, .. } if last < all => {
                Some(format!("{lines} of {all}; `offset` {next} goes on"))
            }
            Left::Lines { is_ended: false, .. } => Some("no newline at the end".to_owned()),
            Left::Lines { .. } => None,
            Left::Bytes(left) => {
                Some(format!("{lines}; {left} bytes follow; `offset` {next} goes on"))
            }
            Left::Far(left) => Some(format!("{left} bytes follow that this tool does not reach")),
        };
        let is_odd = self.is_odd.then(|| "not all of it is UTF-8".to_owned());
        let ends = self.ends_in_cr.then(|| "lines end in CR LF".to_owned());
        for note in [note, is_odd, ends].into_iter().flatten() {
            let _ = writeln!(text, "[{note}]");
        }
        Ok(text)
    }

    fn grow(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        if self.is_shown() {
            // One more than is shown, for the CR of a line that is just as long.
            let room = (self.most_line + 1).saturating_sub(self.line.len());
            self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }

    fn is_shown(&self) -> bool {
        !self.is_full && self.number >= self.first
    }

    fn finish(&mut self, is_ended: bool) {
        if self.is_shown() {
            self.show(is_ended);
        }
        self.number += 1;
        self.begins += self.whole_length(is_ended);
        self.length = 0;
        self.line.clear();
    }

    fn whole_length(&self, is_ended: bool) -> u64 {
        self.length as u64 + u64::from(is_ended)
    }

    fn show(&mut self, is_ended: bool) {
        let mut line = self.line.as_slice();
        let mut length = self.length;
        if is_ended && line.len() == length && line.ends_with(b"\r") {
            self.ends_in_cr = true;
            line = &line[..length - 1];
            length -= 1;
        }
        let is_cut = length > self.most_line;
        let shown = if is_cut { &line[..whole(line, self.most_line)] } else { line };
        let shown_text = String::from_utf8_lossy(shown);
        self.is_odd |= matches!(shown_text, std::borrow::Cow::Owned(_));
        let number = self.number;
        let mut told = format!("{number:>6}\t{shown_text}");
        if is_cut {
            let _ = write!(told, "… [{} bytes more]", length - shown.len());
        }
        told.push('\n');
        let has_room = self.text.is_empty() || self.text.len() + told.len() <= self.most_bytes;
        if has_room {
            self.text.push_str(&told);
            self.last = number;
            self.ends = self.begins + self.whole_length(is_ended);
        }
        self.is_full = !has_room || self.last + 1 - self.first >= self.most_lines;
    }
}

/// Where to cut so that no character is.
fn whole(line: &[u8], at: usize) -> usize {
    let is_inside = |at: usize| line.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    (at.saturating_sub(3)..=at).rev().find(|at| !is_inside(*at)).unwrap_or(at)
}
