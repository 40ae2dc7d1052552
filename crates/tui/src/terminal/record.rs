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
mod tests {
    use std::{
        io::{Read as _, Seek as _},
        sync::mpsc,
    };

    use serde_json::Value;

    use super::*;

    fn recorded(record: impl FnOnce(&mut Recorder)) -> Vec<Value> {
        let mut file = tempfile::tempfile().unwrap();
        let tell = |problem| panic!("{problem}");
        let mut recorder =
            Recorder::start(file.try_clone().unwrap(), (80, 24), 1_739_887_572, tell).unwrap();
        record(&mut recorder);
        drop(recorder);
        let mut text = String::new();
        file.rewind().unwrap();
        file.read_to_string(&mut text).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn a_recording_has_a_header_and_a_line_for_each_frame() {
        let lines = recorded(|recorder| {
            recorder.frame((80, 24), "\x1b[1;1H中 \"a\"".as_bytes());
            recorder.frame((80, 24), b"");
            recorder.frame((100, 30), b"wider");
        });
        assert_eq!(
            (&lines[0]["version"], &lines[0]["width"], &lines[0]["height"]),
            (&json!(2), &json!(80), &json!(24))
        );
        let events: Vec<_> = lines[1..].iter().map(|line| (&line[1], &line[2])).collect();
        assert_eq!(
            events,
            [
                (&json!("o"), &json!(BEGIN)),
                (&json!("o"), &json!("\x1b[1;1H中 \"a\"")),
                (&json!("r"), &json!("100x30")),
                (&json!("o"), &json!("wider")),
            ]
        );
        let times: Vec<f64> = lines[1..].iter().map(|line| line[0].as_f64().unwrap()).collect();
        assert!(times.is_sorted(), "{times:?}");
    }

    #[test]
    fn a_recording_that_cannot_be_written_says_so() {
        let (told, heard) = mpsc::channel();
        let file = File::open("/dev/null").unwrap();
        let tell = move |problem| told.send(problem).unwrap();
        let recorder = Recorder::start(file, (80, 24), 0, tell).unwrap();
        drop(recorder);
        assert!(heard.recv().unwrap().starts_with("the recording stops: "));
    }
}
