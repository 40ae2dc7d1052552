//! A text line by line, however long its lines are.

use std::io::BufRead;

use memchr::memchr;

/// How much of a line is looked at, in bytes.
const LONGEST: usize = 64 << 10;

/// The lines of a text, each without its end and, if it is very long, without what comes late.
#[derive(Debug)]
pub struct Lines<R> {
    reader: R,
    line: Vec<u8>,
    left: u64,
}

impl<R: BufRead> Lines<R> {
    /// Reads at most this many bytes.
    pub fn new(reader: R, left: u64) -> Self {
        Self { reader, line: Vec::new(), left }
    }

    /// How many bytes more may be read.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// The next line. A text that can be read no further ends there.
    pub fn next(&mut self) -> Option<&[u8]> {
        self.line.clear();
        let mut has_begun = false;
        while self.left > 0 {
            let piece = self.reader.fill_buf().unwrap_or_default();
            if piece.is_empty() {
                break;
            }
            has_begun = true;
            let end = memchr(b'\n', piece);
            let part = &piece[..end.unwrap_or(piece.len())];
            let room = LONGEST - self.line.len();
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            let taken = end.map_or(piece.len(), |end| end + 1);
            self.reader.consume(taken);
            self.left = self.left.saturating_sub(taken as u64);
            if end.is_some() {
                break;
            }
        }
        has_begun.then(|| self.line.strip_suffix(b"\r").unwrap_or(&self.line))
    }
}
