//! The terminal under the moving line.

use std::{
    fmt::Write as _,
    io,
    io::Write as _,
    sync::{Mutex, MutexGuard, PoisonError},
};

use indicatif::TermLike;

/// What is left free at the end of the line. The line is filled up to there, so that what the
/// terminal itself writes when a key is pressed, `^C`, stands in the same line and goes with it.
const MARGIN: u16 = 4;

/// Standard error, a few cells narrower than it is. What is drawn goes out at once, so that
/// nothing flickers.
#[derive(Debug, Default)]
pub struct Narrowed {
    drawn: Mutex<String>,
}

/// How many cells a moving line has.
pub fn room() -> u16 {
    size().0
}

fn size() -> (u16, u16) {
    let (columns, rows) = match rustix::termios::tcgetwinsize(io::stderr()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col, size.ws_row),
        _ => (80, 24),
    };
    (columns.saturating_sub(MARGIN).max(1), rows)
}

impl Narrowed {
    fn drawn(&self) -> MutexGuard<'_, String> {
        self.drawn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn step(&self, n: usize, direction: char) -> io::Result<()> {
        if n > 0 {
            write!(self.drawn(), "\x1b[{n}{direction}").map_err(io::Error::other)?;
        }
        Ok(())
    }
}

impl TermLike for Narrowed {
    fn width(&self) -> u16 {
        size().0
    }

    fn height(&self) -> u16 {
        size().1
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.step(n, 'A')
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.step(n, 'B')
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.step(n, 'C')
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.step(n, 'D')
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        writeln!(self.drawn(), "{text}").map_err(io::Error::other)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.drawn().push_str(text);
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        self.drawn().push_str("\r\x1b[2K");
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        let drawn = std::mem::take(&mut *self.drawn());
        let mut stderr = io::stderr().lock();
        stderr.write_all(drawn.as_bytes())?;
        stderr.flush()
    }
}
