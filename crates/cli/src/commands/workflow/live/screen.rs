//! Where a watched workflow is shown: messages, and below them, on a terminal, one line that moves.

use agent_worker_client::Sanitized;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::terminal::{self, Narrowed};
use crate::{
    output::{Output, can_move},
    text::{dim, layout},
};

/// Prefix of the moving line.
const SPINNER_WIDTH: usize = 2;

/// The screen of a command that follows.
#[derive(Debug)]
pub struct Screen {
    output: Output,
    quiet: bool,
    line: Option<ProgressBar>,
}

impl Screen {
    /// Opens the screen. The moving line is shown on terminals only.
    pub fn open(output: Output, quiet: bool) -> Self {
        let is_shown = output.is_watched() && !quiet && can_move();
        let line = is_shown.then(|| {
            let target = ProgressDrawTarget::term_like(Box::new(Narrowed::default()));
            let line = ProgressBar::with_draw_target(None, target);
            let style = ProgressStyle::with_template("{spinner} {msg}");
            line.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            line
        });
        Self { output, quiet, line }
    }

    /// Whether a moving line is shown.
    pub fn is_moving(&self) -> bool {
        self.line.is_some()
    }

    /// Redraws the moving line with the current work.
    pub fn status(&self, text: &str) {
        if let Some(line) = &self.line {
            let room = usize::from(terminal::room()).saturating_sub(SPINNER_WIDTH);
            line.set_message(Sanitized::line(text).truncate(room).to_string());
            line.tick();
        }
    }

    /// Takes the moving line away while the user types.
    pub fn pause(&self) {
        self.line.as_ref().inspect(|line| line.finish_and_clear());
    }

    /// Has the line move again.
    pub fn go_on(&self) {
        self.line.as_ref().filter(|line| line.is_finished()).inspect(|line| line.reset());
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
        let is_told = !self.quiet && !self.output.json && (is_trouble || self.line.is_none());
        if is_told {
            self.note(&dim(&layout::hanging("", 0, text, self.output.width())));
        }
    }

    /// Takes the moving line away.
    pub fn close(&mut self) {
        if let Some(line) = self.line.take() {
            line.finish_and_clear();
        }
    }

    fn beside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.line {
            Some(line) => line.suspend(print),
            None => print(),
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.close();
    }
}
