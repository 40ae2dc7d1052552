//! What a program prints: one event a line.

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// The longest line that is read, in bytes: a result of a tool with pictures is one line.
const LONGEST: usize = 32 << 20;

#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// An object in JSON.
    Event(Value),
    Text(String),
    /// A line that was too long and was left out, with its length in bytes.
    TooLong(usize),
}

#[derive(Debug)]
pub struct Lines<R> {
    reader: BufReader<R>,
    pub partial: Vec<u8>,
    /// Bytes of the line so far that were left out
    skipped: usize,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub fn of(reader: R) -> Self {
        let reader = BufReader::with_capacity(64 << 10, reader);
        Self { reader, partial: Vec::new(), skipped: 0 }
    }

    /// Returns the next line that is not empty; `None` at the end. Dropping the future loses
    /// nothing.
    pub async fn next(&mut self) -> Option<Said> {
        loop {
            let buffer = self.reader.fill_buf().await.unwrap_or_default();
            let is_end = buffer.is_empty();
            let newline = memchr::memchr(b'\n', buffer);
            let length = newline.map_or(buffer.len(), |at| at + 1);
            if self.skipped > 0 || self.partial.len() + length > LONGEST {
                self.skipped += length + self.partial.len();
                self.partial.clear();
            } else {
                self.partial.extend_from_slice(&buffer[..length]);
            }
            self.reader.consume(length);
            if newline.is_none() && !is_end {
                continue;
            }
            let skipped = std::mem::take(&mut self.skipped);
            if skipped > 0 {
                return Some(Said::TooLong(skipped));
            }
            let line = std::mem::take(&mut self.partial);
            if let Some(said) = read(&line) {
                return Some(said);
            }
            if is_end {
                return None;
            }
        }
    }
}

fn read(line: &[u8]) -> Option<Said> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return None;
    }
    match serde_json::from_slice(line) {
        Ok(event @ Value::Object(_)) => Some(Said::Event(event)),
        _ => Some(Said::Text(String::from_utf8_lossy(line).into_owned())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    async fn all(bytes: &[u8]) -> Vec<Said> {
        let mut lines = Lines::of(bytes);
        let mut said = Vec::new();
        while let Some(next) = lines.next().await {
            said.push(next);
        }
        said
    }

    #[tokio::test]
    async fn events_and_other_text_are_told_apart() {
        let said = all(b"{\"type\":\"a\"}\n\n  oops \r\n[1]\n{\"cut\":").await;
        let text = |text: &str| Said::Text(text.to_owned());
        assert_eq!(
            said,
            [Said::Event(json!({ "type": "a" })), text("oops"), text("[1]"), text("{\"cut\":")]
        );
    }

    #[tokio::test]
    async fn a_line_without_an_end_takes_no_room() {
        let mut bytes = vec![b'x'; LONGEST + 10];
        bytes.extend_from_slice(b"\n{\"type\":\"b\"}\n");
        let said = all(&bytes).await;
        assert_eq!(said, [Said::TooLong(LONGEST + 11), Said::Event(json!({ "type": "b" }))]);
    }
}
