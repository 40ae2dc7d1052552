//! A recording of the screen, as asciinema plays it (asciicast, version 2). A thread writes it, so
//! that a slow disk does not hold the screen up.

use std::{
    fs::File,
    io::{self, BufWriter, Write as _},
    sync::mpsc::{Receiver, Sender, channel},
    time::{Duration, Instant},
};

use serde_json::json;

use super::thread::Joined;

/// What hides the cursor and clears the screen before the first frame.
const BEGIN: &str = "\x1b[?25l\x1b[2J\x1b[H";

/// Line of the file: when, since the beginning, and what happened.
type Event = (Duration, &'static str, String);

/// A recording that goes on.
pub struct Recorder {
    events: Sender<Event>,
    /// Writes everything before it ends
    _thread: Joined,
    since: Instant,
    size: (u16, u16),
}

impl Recorder {
    /// Begins a recording of a screen of this size. `at` is the time of its beginning, seconds since
    /// 1970; `tell` hears if it cannot be written.
    pub fn start(
        file: File,
        size: (u16, u16),
        at: i64,
        tell: impl Fn(String) + Send + 'static,
    ) -> io::Result<Self> {
        let (events, inbox) = channel();
        let header = json!({
            "version": 2, "width": size.0, "height": size.1, "timestamp": at,
            "title": "agent-worker tui",
        });
        let thread = Joined::start("recorder", move || {
            if let Err(error) = write(file, &header.to_string(), &inbox) {
                tell(format!("the recording stops: {error}"));
            }
        })?;
        let recorder = Self { events, _thread: thread, since: Instant::now(), size };
        recorder.tell("o", BEGIN.to_owned());
        Ok(recorder)
    }

    /// Notes what is written to a screen of this size.
    pub fn frame(&mut self, size: (u16, u16), bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if size != self.size {
            self.size = size;
            self.tell("r", format!("{}x{}", size.0, size.1));
        }
        self.tell("o", String::from_utf8_lossy(bytes).into_owned());
    }

    fn tell(&self, kind: &'static str, text: String) {
        // The thread ends early only after it has told why.
        let _ = self.events.send((self.since.elapsed(), kind, text));
    }
}

/// Writes a header and every event; each is in the file once nothing more waits.
fn write(file: File, header: &str, inbox: &Receiver<Event>) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    writeln!(out, "{header}")?;
    while let Ok(first) = inbox.recv() {
        for (at, kind, text) in std::iter::once(first).chain(inbox.try_iter()) {
            writeln!(out, "{}", json!([at.as_secs_f64(), kind, text]))?;
        }
        out.flush()?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "tests/record.rs"]
mod tests;
