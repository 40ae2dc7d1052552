//! Server-sent events out of bytes that arrive in any pieces: the lines and fields of the HTML
//! standard, as far as servers of models use them. Nothing grows without bounds.

/// How long one event may be, in bytes.
const MAX_EVENT: usize = 16 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// Its name, where it has one.
    pub name: Option<String>,
    /// Its data, lines joined.
    pub data: String,
}

/// An event has no end.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is longer than {MAX_EVENT} bytes")]
pub struct TooLong;

/// Part of a stream that was read.
#[derive(Debug, Default)]
pub struct Sse {
    /// The line that has not ended
    line: Vec<u8>,
    /// Whether the last byte was a carriage return, whose line feed belongs to it
    after_return: bool,
    /// Whether a line was read at all: the first may begin with a mark of byte order
    has_begun: bool,
    name: Option<String>,
    data: Option<String>,
}

impl Sse {
    /// Takes bytes and gives the events that they complete.
    pub fn take(&mut self, bytes: &[u8]) -> Result<Vec<SseEvent>, TooLong> {
        let mut events = Vec::new();
        let mut rest = bytes;
        while let Some(first) = rest.first() {
            if std::mem::take(&mut self.after_return) && *first == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.hold(rest)?;
                break;
            };
            self.hold(&rest[..end])?;
            self.after_return = rest[end] == b'\r';
            rest = &rest[end + 1..];
            events.extend(self.end_line());
        }
        Ok(events)
    }

    fn hold(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        let held = self.line.len() + self.data.as_ref().map_or(0, String::len);
        if held + bytes.len() > MAX_EVENT {
            return Err(TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self) -> Option<SseEvent> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let mut line = &*line;
        if !std::mem::replace(&mut self.has_begun, true) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            let name = self.name.take();
            return self.data.take().map(|data| SseEvent { name, data });
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match (field, &mut self.data) {
            ("event", _) => self.name = Some(value.to_owned()).filter(|name| !name.is_empty()),
            ("data", Some(data)) => {
                data.push('\n');
                data.push_str(value);
            }
            ("data", data @ None) => *data = Some(value.to_owned()),
            // A comment, or what only those read who come back to a stream.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
#[path = "tests/sse.rs"]
mod tests;
