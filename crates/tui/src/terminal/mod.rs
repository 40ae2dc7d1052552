//! The terminal: its modes, what it sends, and what is written to it. Bytes are read and written in
//! threads of their own, so that neither a slow nor a lost terminal ever holds the control room up.

mod burst;
mod cells;
mod clicks;
mod decode;
mod encode;
mod hold;
mod keys;
mod known;
mod modes;
mod panics;
mod read;
mod scan;
mod signals;
mod tty;
mod write;

#[cfg(test)]
mod tests;

use std::{
    io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use ratatui_core::buffer::Buffer;

use crate::{clipboard::Taken, key::Key, mouse::Mouse};

pub use panics::install_panic_hook;

pub use encode::Screen;
use hold::Hold;
pub use known::Known;
use read::Reader;
use signals::Watch;
use tty::Ends;
use write::Writer;

/// What comes from the terminal, and about it.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// A key was pressed.
    Key(Key),
    /// Text came as keys, faster than anyone types. Only a text field takes it.
    Burst(Vec<Key>),
    /// A text was pasted. It is as it came: to be cleaned before anything else.
    Paste(String),
    Mouse(Mouse),
    /// The terminal has this many columns and rows.
    Resize(u16, u16),
    /// The terminal has the focus of its surroundings, or no more.
    Focus(bool),
    /// The terminal answered a question.
    Answer(Answer),
    Signal(Signal),
    /// A frame may be drawn again, after [`Terminal::is_busy`] said that none may.
    Free,
    /// The terminal is gone: nothing can be read or written any more.
    Lost,
}

/// What the terminal said of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The last answer: questions without an answer are unknown to the terminal.
    Attributes {
        /// Whether it says that programs may write its clipboard
        clipboard: bool,
    },
    /// Whether it can show a frame at once.
    Synchronized(bool),
    Background(u8, u8, u8),
    /// How many cells it gives a character whose width is a matter of opinion.
    Ambiguous(u16),
    /// It tells which key was pressed apart from what the key produces.
    Keyboard,
    /// It has shown all that was written.
    Ready,
}

/// A signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// The process is asked to end.
    Terminate,
    /// Its terminal is about to go.
    HangUp,
    /// It is interrupted, from outside: the key is a key.
    Interrupt,
    /// It is to stop until it is continued: [`Terminal::suspend`].
    Stop,
    /// It was continued: [`Terminal::resume`].
    Continue,
}

/// How the terminal is used.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Whether the mouse is asked for.
    pub mouse: bool,
    /// Where errors are written while the screen is up.
    pub log: Option<PathBuf>,
}

/// Why no screen can be drawn.
#[derive(Debug, thiserror::Error)]
pub enum NotATerminal {
    /// Keys cannot be read.
    #[error(
        "standard input is not a terminal: `agent-worker tui --dump 120x40` prints one screen, \
         every other command works without one"
    )]
    Input,
    /// Nothing can be shown.
    #[error(
        "standard output is not a terminal: `agent-worker tui --dump 120x40` prints one screen, \
         every other command works without one"
    )]
    Output,
    /// The terminal cannot place its cursor.
    #[error(
        "this terminal can only print lines (TERM is `dumb`): `agent-worker tui --dump 120x40` \
         prints one screen, every other command works here"
    )]
    Dumb,
    /// The terminal does not let itself be used.
    #[error("the terminal cannot be used: {0}")]
    Unusable(#[from] io::Error),
}

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

/// Where what comes from the terminal goes.
#[derive(Clone)]
struct Sink(Arc<Mutex<dyn Fn(Input) + Send>>);

impl Sink {
    fn send(&self, input: Input) {
        (self.0.lock().unwrap_or_else(PoisonError::into_inner))(input);
    }
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
}

impl Terminal {
    /// Takes hold of the terminal that the process was started in.
    pub fn open(
        options: Options,
        sink: impl Fn(Input) + Send + 'static,
    ) -> Result<Self, NotATerminal> {
        Self::over(Ends::of_process()?, options, sink)
    }

    fn over(
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
        if self.ahead.is_empty() && frame.is_empty() {
            return Drawn::Nothing;
        }
        let mut bytes = std::mem::take(&mut self.ahead);
        if bytes.starts_with(modes::ENTER.as_bytes()) {
            self.hold.shown();
            self.known.asked();
        }
        bytes.extend(frame);
        let count = bytes.len();
        self.writer.write(bytes);
        Drawn::Bytes(count)
    }

    /// Where letters are commands, they are told as keys, so that they are found in any layout; where
    /// they are text, the terminal and what helps to write it make of them what they do.
    fn tell_letters(&mut self, as_keys: bool) {
        if self.known.keyboard() && self.letters != as_keys {
            self.letters = as_keys;
            self.ahead.extend(modes::letters(as_keys).as_bytes());
        }
    }

    /// Whether the frame before is still being written; then [`Input::Free`] says when it no longer
    /// is.
    pub fn is_busy(&self) -> bool {
        self.writer.is_busy()
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
        if self.known.clipboard() { Taken::Yes } else { Taken::Unsaid }
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
