//! What a command puts out: its beginning as it comes, and its end.

use std::{collections::VecDeque, fmt::Write as _, str::from_utf8};

/// An output of any length, kept up to a limit.
#[derive(Debug)]
pub struct Output {
    most: usize,
    /// How many more bytes belong to the beginning
    room: usize,
    head: String,
    /// The beginning of a character that is not whole yet
    broken: Vec<u8>,
    tail: VecDeque<u8>,
    /// How many bytes are kept neither way
    left_out: u64,
}

impl Output {
    /// Keeps this many bytes of the beginning, and as many of the end.
    pub fn new(most: usize) -> Self {
        let (head, broken) = (String::new(), Vec::new());
        Self { most, room: most, head, broken, tail: VecDeque::new(), left_out: 0 }
    }

    /// The next piece. What becomes text of the beginning is heard.
    pub fn push(&mut self, bytes: &[u8], hear: &mut dyn FnMut(&str)) {
        let (first, rest) = bytes.split_at(bytes.len().min(self.room));
        self.room -= first.len();
        if !first.is_empty() {
            self.broken.extend_from_slice(first);
            self.decode(false, hear);
        }
        self.tail.extend(rest);
        let surplus = self.tail.len().saturating_sub(self.most);
        self.tail.drain(..surplus);
        self.left_out += surplus as u64;
    }

    /// All that is told of it, what was heard first. It ends with a line.
    pub fn into_text(mut self, hear: &mut dyn FnMut(&str)) -> String {
        let tail = Vec::from(std::mem::take(&mut self.tail));
        let mut tail = tail.as_slice();
        if self.left_out == 0 {
            // A character may begin in the head and end in the tail.
            self.broken.extend_from_slice(tail);
            tail = &[];
        }
        self.decode(true, hear);
        let mut text = self.head;
        if self.left_out > 0 {
            end_line(&mut text);
            let _ = writeln!(text, "[{} bytes are left out here]", self.left_out);
            text.push_str(String::from_utf8_lossy(tail).trim_start_matches('\u{fffd}'));
        }
        end_line(&mut text);
        text
    }

    fn decode(&mut self, is_end: bool, hear: &mut dyn FnMut(&str)) {
        let start = self.head.len();
        let bytes = std::mem::take(&mut self.broken);
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.head.push_str(chunk.valid());
            let bad = chunk.invalid();
            let may_go_on = || from_utf8(bad).is_err_and(|error| error.error_len().is_none());
            if !is_end && chunks.peek().is_none() && may_go_on() {
                self.broken = bad.to_vec();
            } else if !bad.is_empty() {
                self.head.push('\u{fffd}');
            }
        }
        if self.head.len() > start {
            hear(&self.head[start..]);
        }
    }
}

fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

#[cfg(test)]
#[path = "tests/output.rs"]
mod tests;
