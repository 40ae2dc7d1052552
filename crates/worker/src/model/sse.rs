//! Server-sent events out of bytes that arrive in any pieces: the lines and fields of the HTML
//! standard, as far as servers of models use them. Nothing grows without bounds.

/// How long one event may be, in bytes.
const MAX_EVENT: usize = 16 << 20;

/// One event.
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

/// What was read of a stream so far.
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
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cases::cases;

    fn event(name: Option<&str>, data: &str) -> SseEvent {
        SseEvent { name: name.map(str::to_owned), data: data.to_owned() }
    }

    fn read(text: &str) -> Vec<SseEvent> {
        Sse::default().take(text.as_bytes()).unwrap()
    }

    #[test]
    fn events_have_names_and_lines_of_data() {
        assert_eq!(
            read(
                "\u{feff}event: a\ndata: 1\ndata:  2\n\n: comment\nid: 7\nretry: 3\n\ndata\n\n\
                 event: lost\n\ndata:3\r\n\r\ndata: 4\r\rdata: unfinished\n"
            ),
            [event(Some("a"), "1\n 2"), event(None, ""), event(None, "3"), event(None, "4")]
        );
    }

    #[test]
    fn bytes_that_are_no_text_harm_themselves_alone() {
        let events = Sse::default().take(b"data: a\xffb\n\ndata: c\n\n").unwrap();
        assert_eq!(events, [event(None, "a\u{fffd}b"), event(None, "c")]);
    }

    #[test]
    fn an_event_without_end_is_refused() {
        let mut sse = Sse::default();
        let chunk = vec![b'x'; 1 << 20];
        let refused = (0..20).find_map(|_| sse.take(&chunk).err());
        assert_eq!(refused, Some(TooLong));
        let mut lines = Sse::default();
        let line = [b"data: ".as_slice(), &chunk, b"\n"].concat();
        assert_eq!((0..20).find_map(|_| lines.take(&line).err()), Some(TooLong));
    }

    /// The same rules, read slowly from the whole text.
    fn slowly(text: &str) -> Vec<SseEvent> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let mut lines: Vec<_> = text.split('\n').collect();
        lines.pop();
        let mut events = Vec::new();
        for block in lines.split_inclusive(|line| line.is_empty()) {
            let Some(([], lines)) = block.split_last().map(|(end, lines)| (end.as_bytes(), lines))
            else {
                continue;
            };
            let field = |name: &str| {
                let of = move |line: &&str| {
                    let rest = line.strip_prefix(name)?;
                    let value = if rest.is_empty() { "" } else { rest.strip_prefix(':')? };
                    Some(value.strip_prefix(' ').unwrap_or(value).to_owned())
                };
                lines.iter().filter_map(of).collect::<Vec<_>>()
            };
            let data = field("data");
            let name = field("event").pop().filter(|name| !name.is_empty());
            if !data.is_empty() {
                events.push(SseEvent { name, data: data.join("\n") });
            }
        }
        events
    }

    proptest! {
        #![proptest_config(cases(2_000))]

        #[test]
        fn any_cutting_of_the_bytes_gives_the_same_events(
            text in "(\u{feff}|)((data|event|id|other|)(:|: |)[a-cé:]{0,3}(\n|\r\n|\r|\n\n|\r\n\r\n|)){0,8}",
            cuts in prop::collection::vec(0usize..40, 0..10),
        ) {
            let bytes = text.as_bytes();
            let mut sse = Sse::default();
            let mut events = Vec::new();
            let mut at = 0;
            for cut in cuts {
                let end = (at + cut).min(bytes.len());
                events.extend(sse.take(&bytes[at..end]).unwrap());
                at = end;
            }
            events.extend(sse.take(&bytes[at..]).unwrap());
            // A return that may yet be half of an end is no line that is lost: it has ended one.
            prop_assert_eq!(&events, &slowly(&text));
            prop_assert_eq!(&events, &read(&text));
        }
    }
}
