//! Where a watched workflow is shown: messages, and below them, on a terminal, one line that moves.

use std::io::{self, Write as _};

use agent_worker_client::Sanitized;
use unicode_width::UnicodeWidthStr as _;

use crate::{
    output::{Output, can_move},
    text::{dim, layout},
};

/// What stands before the moving line, one after the other.
const SPINNER: &str = "⠁⠁⠉⠙⠚⠒⠂⠂⠒⠲⠴⠤⠄⠄⠤⠠⠠⠤⠦⠖⠒⠐⠐⠒⠓⠋⠉⠈⠈";

/// Takes a line of a terminal away.
const ERASE: &str = "\r\x1b[2K";

/// What is left free at the end of the line. The line is filled up to there, so that what the
/// terminal itself writes when a key is pressed, `^C`, stands in the same line and goes with it.
const MARGIN: usize = 4;

/// The screen of a command that follows.
#[derive(Debug)]
pub struct Screen {
    output: Output,
    quiet: bool,
    is_moving: bool,
    /// The moving line; empty while it is not shown
    line: String,
    ticks: usize,
}

impl Screen {
    /// Opens the screen. The moving line is shown on terminals only.
    pub fn open(output: Output, quiet: bool) -> Self {
        let is_moving = output.is_watched() && !quiet && can_move();
        Self { output, quiet, is_moving, line: String::new(), ticks: 0 }
    }

    /// Whether a moving line is shown.
    pub fn is_moving(&self) -> bool {
        self.is_moving
    }

    /// Redraws the moving line with the current work.
    pub fn status(&mut self, text: &str) {
        let room = room();
        let sign = SPINNER.chars().cycle().nth(self.ticks).unwrap_or_default();
        self.ticks = (self.ticks + 1) % SPINNER.chars().count();
        self.line = format!("{sign} {}", Sanitized::line(text).truncate(room.saturating_sub(2)));
        self.line.push_str(&" ".repeat(room.saturating_sub(self.line.width())));
        self.draw(&self.line);
    }

    /// Takes the moving line away until its next status.
    pub fn clear(&mut self) {
        self.draw("");
        self.line.clear();
    }

    /// Prints above the moving line.
    pub fn print(&self, text: &str) -> anyhow::Result<()> {
        self.beside(|| self.output.print(text))
    }

    /// Prints a note between the messages; nothing for an empty note.
    pub fn note(&self, text: &str) {
        if !text.is_empty() {
            self.beside(|| self.output.note(text));
        }
    }

    /// Tells how it goes on, to those who do not see the moving line. Trouble is told to all who
    /// did not ask for quiet.
    pub fn progress(&self, text: &str, is_trouble: bool) {
        let is_told = !self.quiet && !self.output.json && (is_trouble || !self.is_moving);
        if is_told {
            self.note(&dim(&layout::hanging("", 0, text, self.output.width())));
        }
    }

    fn beside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.draw("");
        let printed = print();
        self.draw(&self.line);
        printed
    }

    /// Writes in the place of the moving line, if it is shown, at once, so that nothing flickers.
    fn draw(&self, text: &str) {
        if !self.line.is_empty() {
            let mut stderr = io::stderr().lock();
            let written = stderr.write_all(format!("{ERASE}{text}").as_bytes());
            let _ = written.and_then(|()| stderr.flush());
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.clear();
    }
}

/// How many cells the moving line has.
fn room() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stderr()).ok().filter(|size| size.ws_col > 0);
    size.map_or(80, |size| usize::from(size.ws_col)).saturating_sub(MARGIN).max(1)
}
