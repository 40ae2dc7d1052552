//! The terminal that the process was started in: taken, drawn on, given back.

use std::{
    io,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use ratatui_core::buffer::Buffer;

use super::{
    encode::Screen,
    hold::{self, Hold, Options},
    input::{Input, Sink},
    known::Known,
    modes, panics,
    read::Reader,
    record::Recorder,
    signals::Watch,
    tty::{Ends, NotATerminal},
    write::Writer,
};
use crate::clipboard::Taken;

/// What became of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drawn {
    /// This many bytes are on their way.
    Bytes(usize),
    /// The screen shows it already.
    Nothing,
    /// The frame before is still on its way, or the terminal is not held: not drawn.
    Busy,
}

/// The bytes that bring a screen from one picture to the next.
#[cfg(test)]
pub fn bytes_between(before: &Buffer, after: &Buffer) -> Vec<u8> {
    let mut screen = Screen::new(true);
    screen.frame(before, None, &Known::default());
    screen.frame(after, None, &Known::default())
}

/// How long the end waits for what is being written.
const PATIENCE: Duration = Duration::from_millis(100);

/// The terminal, held from [`open`](Self::open) until it is dropped.
pub struct Terminal {
    hold: Arc<Hold>,
    known: Arc<Known>,
    sink: Sink,
    screen: Screen,
    writer: Writer,
    reader: Option<Reader>,
    watch: Watch,
    /// Written before the next frame: modes to enter, questions
    ahead: Vec<u8>,
    /// Whether letters are told as keys
    letters: bool,
    recorder: Option<Recorder>,
}

impl Terminal {
    /// Takes hold of the terminal that the process was started in.
    pub fn open(
        options: Options,
        sink: impl Fn(Input) + Send + 'static,
    ) -> Result<Self, NotATerminal> {
        Self::over(Ends::of_process()?, options, sink)
    }

    pub(super) fn over(
        ends: Ends,
        options: Options,
        sink: impl Fn(Input) + Send + 'static,
    ) -> Result<Self, NotATerminal> {
        let sink = Sink(Arc::new(Mutex::new(sink)));
        let known = Arc::new(Known::default());
        let is_gnu_screen = ends.term.starts_with("screen");
        let screen = Screen::new(!is_gnu_screen);
        let hold = Arc::new(Hold::new(ends, options, !is_gnu_screen)?);
        panics::watch(&hold);
        let watch = Watch::start(&hold, &sink)?;
        let writer = Writer::start(&hold, &sink)?;
        let mut terminal = Self {
            hold,
            known,
            sink,
            screen,
            writer,
            reader: None,
            watch,
            ahead: Vec::new(),
            letters: false,
            recorder: None,
        };
        terminal.enter()?;
        terminal.ahead.extend(modes::QUESTIONS.as_bytes());
        Ok(terminal)
    }

    fn enter(&mut self) -> io::Result<()> {
        self.ahead = self.hold.enter()?;
        self.letters = false;
        self.screen.forget();
        if self.reader.is_none() {
            self.reader = Some(Reader::start(&self.hold, &self.known, &self.sink)?);
        }
        Ok(())
    }

    fn leave(&mut self) {
        if !self.hold.is_held() {
            return;
        }
        let cut = !self.writer.settle(PATIENCE);
        if cut {
            self.writer.cut();
        }
        self.hold.show_main(cut);
        let unanswered = !self.known.settle(PATIENCE);
        self.reader = None;
        self.hold.leave(unanswered);
        self.ahead.clear();
    }

    /// Records every frame from here on.
    pub fn record(&mut self, recorder: Recorder) {
        self.recorder = Some(recorder);
    }

    /// Columns and rows.
    pub fn size(&self) -> (u16, u16) {
        self.hold.size()
    }

    /// Brings the screen to this picture, with as few bytes as that takes.
    pub fn draw(&mut self, next: &Buffer, cursor: Option<(u16, u16)>) -> Drawn {
        if !self.hold.is_held() || self.writer.is_busy() {
            return Drawn::Busy;
        }
        self.tell_letters(cursor.is_none());
        let frame = self.screen.frame(next, cursor, &self.known);
        if let Some(recorder) = &mut self.recorder {
            recorder.frame((next.area.width, next.area.height), &frame);
        }
        if self.ahead.is_empty() && frame.is_empty() {
            return Drawn::Nothing;
        }
        let mut bytes = std::mem::take(&mut self.ahead);
        if bytes.starts_with(modes::ENTER.as_bytes()) {
            bytes.extend(self.hold.shown());
            self.known.asked();
        }
        bytes.extend(frame);
        if self.known.writes() {
            bytes.extend(modes::IS_SHOWN.as_bytes());
        }
        let count = bytes.len();
        self.writer.write(bytes);
        Drawn::Bytes(count)
    }

    /// Where letters are commands, they are told as keys, so that they are found in any layout; where
    /// they are text, the terminal and what helps to write it make of them what they do.
    fn tell_letters(&mut self, as_keys: bool) {
        if self.known.can().keyboard && self.letters != as_keys {
            self.letters = as_keys;
            self.ahead.extend(modes::letters(as_keys).as_bytes());
        }
    }

    /// Whether the frame before is still being written; then [`Input::Free`] says when it no longer
    /// is.
    pub fn is_busy(&self) -> bool {
        self.writer.is_busy()
    }

    /// Whether the terminal has answered enough frames for the next one; `is_asked` by a key.
    pub fn is_free(&self, is_asked: bool) -> bool {
        self.known.is_free(is_asked)
    }

    /// When [`is_free`](Self::is_free) is to be asked again, if no [`Answer::Ready`] comes before.
    pub fn free_at(&self, is_asked: bool) -> Option<Instant> {
        self.known.free_at(is_asked)
    }

    /// Paints everything with the next frame, whatever the screen shows.
    pub fn redraw_all(&mut self) {
        self.screen.forget();
    }

    pub fn bell(&mut self) {
        if self.hold.is_held() {
            self.writer.bell();
        }
    }

    /// Sets the title of the terminal's window; it gets its own back at the end.
    pub fn title(&mut self, title: &str) {
        let sequence = self.hold.title(title);
        self.aside(sequence);
    }

    /// Gives a text to the terminal's clipboard.
    pub fn copy(&mut self, text: &str) -> Taken {
        let Some(sequence) = modes::copy(text) else { return Taken::TooLong };
        self.aside(sequence);
        if self.known.can().clipboard { Taken::Yes } else { Taken::Unsaid }
    }

    /// Takes the mouse, or gives it back to the terminal.
    pub fn mouse(&mut self, on: bool) {
        let sequence = self.hold.mouse(on);
        self.aside(sequence);
    }

    /// Writes what belongs to no frame, but nothing before the first one.
    fn aside(&mut self, sequence: Vec<u8>) {
        if !self.ahead.is_empty() {
            self.ahead.extend(sequence);
        } else if self.hold.is_held() {
            self.writer.aside(sequence);
        }
    }

    /// Gives the terminal back and stops the process and those it was started with, until it is
    /// continued: [`Signal::Continue`] says so, and [`resume`](Self::resume) goes on.
    pub fn suspend(&mut self) {
        self.leave();
        hold::stop();
    }

    /// Takes the terminal again after the process was stopped, and paints everything.
    pub fn resume(&mut self) {
        if let Err(error) = self.enter() {
            tracing::warn!(%error, "the terminal cannot be taken again");
            self.sink.send(Input::Lost);
            return;
        }
        let (columns, rows) = self.size();
        self.sink.send(Input::Resize(columns, rows));
    }

    /// Gives the terminal back for as long as another program has it.
    pub fn outside<T>(&mut self, other: impl FnOnce() -> T) -> T {
        self.leave();
        self.watch.aside(true);
        let result = other();
        self.watch.aside(false);
        self.resume();
        result
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.leave();
        self.writer.end();
    }
}
