//! The only way to standard output. Text may be styled; where it is not shown on a terminal, or
//! colour is not wanted, it arrives plain.

use std::{
    env,
    io::{self, IsTerminal, Write},
};

use agent_worker_client::{Sanitized, is_unseen};
use rustix::{
    event::{PollFd, PollFlags, poll},
    io::Errno,
};
use serde::Serialize;

use crate::again;

/// Standard output is closed.
#[derive(Debug, thiserror::Error)]
#[error("standard output is closed")]
pub struct Closed;

/// Where a command's words go: what was asked for to standard output, everything else to standard
/// error.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    /// Whether standard output is for programs
    pub json: bool,
}

impl Output {
    /// Prints text as it is, without adding anything.
    pub fn write(&self, text: &str) -> anyhow::Result<()> {
        let mut stdout = anstream::stdout().lock();
        stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(broken)
    }

    /// Gives a file or a program text byte for byte.
    pub fn write_raw(&self, text: &str) -> anyhow::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(broken)
    }

    /// Prints whole lines; nothing for an empty text.
    pub fn print(&self, text: &str) -> anyhow::Result<()> {
        match text.trim_end_matches('\n') {
            "" => Ok(()),
            text => self.write(&format!("{text}\n")),
        }
    }

    /// Prints an answer: as JSON where that is wanted, else as the text that is made of it.
    pub fn show<T: Serialize>(
        &self,
        answer: &T,
        text: impl FnOnce(&T) -> String,
    ) -> anyhow::Result<()> {
        if self.json { self.print_json(answer) } else { self.print(&text(answer)) }
    }

    /// Prints an answer as JSON.
    pub fn print_json<T: Serialize>(&self, answer: &T) -> anyhow::Result<()> {
        self.print(&harmless(&serde_json::to_string_pretty(answer)?))
    }

    /// Prints an answer that is a text: a program gets it as it is, a terminal what cannot act on
    /// it.
    pub fn show_text<T: Serialize>(&self, answer: &T, text: &str) -> anyhow::Result<()> {
        if self.json {
            self.print_json(answer)
        } else if self.is_terminal() {
            self.print(Sanitized::text(text).as_str())
        } else {
            self.write_raw(text)
        }
    }

    /// Prints something in the place of what was printed before, where a terminal can do that.
    pub fn redraw(&self, text: &str) -> anyhow::Result<()> {
        if !self.can_redraw() {
            return self.print(text);
        }
        self.write_raw("\x1b[H\x1b[J")?;
        self.print(text)
    }

    /// Prints one of many things as one line of JSON.
    pub fn print_line<T: Serialize>(&self, item: &T) -> anyhow::Result<()> {
        self.print(&self.line_of(item)?)
    }

    /// One of many things as one line of JSON.
    pub fn line_of<T: Serialize>(&self, item: &T) -> anyhow::Result<String> {
        Ok(harmless(&serde_json::to_string(item)?))
    }

    /// Says something beside the answer, with commands that work when they are pasted. Whether
    /// anybody hears it changes nothing.
    pub fn note(&self, text: &str) {
        let text = again::at_home(text.trim_end_matches('\n'));
        let mut stderr = anstream::stderr().lock();
        let _ = writeln!(stderr, "{text}").and_then(|()| stderr.flush());
    }

    /// Says something beside the answer as it is, without ending the line.
    pub fn note_part(&self, text: &str) {
        let mut stderr = anstream::stderr().lock();
        let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
    }

    /// Says a text beside the answer that is stored nowhere else: a file gets it as it is, a
    /// terminal without the characters that act on it.
    pub fn note_whole(&self, text: &str) {
        let mut stderr = io::stderr().lock();
        let shown = if stderr.is_terminal() { inert(text) } else { text.to_owned() };
        let _ = stderr.write_all(shown.as_bytes()).and_then(|()| stderr.flush());
    }

    /// Whether a person watches both standard output and standard error.
    pub fn is_watched(&self) -> bool {
        io::stdout().is_terminal() && io::stderr().is_terminal() && !self.json
    }

    /// Whether a person reads standard output, and no program.
    pub fn is_terminal(&self) -> bool {
        io::stdout().is_terminal() && !self.json
    }

    /// Whether a text can be put in the place of what was printed before.
    pub fn can_redraw(&self) -> bool {
        self.is_terminal() && can_move()
    }

    /// How many cells a line of standard output has; `None` if that is not a terminal.
    pub fn width(&self) -> Option<usize> {
        let stdout = io::stdout();
        if !stdout.is_terminal() {
            return None;
        }
        let size = rustix::termios::tcgetwinsize(&stdout).ok()?;
        // A terminal that does not know its size says 0.
        (size.ws_col > 0).then(|| usize::from(size.ws_col))
    }
}

/// Whether the terminal can do more than show lines one after the other.
pub fn can_move() -> bool {
    env::var("TERM").is_ok_and(|term| term != "dumb")
}

/// Waits until the reader of standard output has gone. Never returns if it is a file.
pub async fn reader_gone() {
    // The `poll` of macOS refuses terminals. A terminal that goes away sends a signal.
    if cfg!(target_os = "macos") && io::stdout().is_terminal() {
        return std::future::pending().await;
    }
    let (sender, gone) = tokio::sync::oneshot::channel();
    // A thread of its own: it is not waited for when the program ends.
    std::thread::spawn(move || {
        let stdout = io::stdout();
        let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
        while poll(&mut watched, None) == Err(Errno::INTR) {}
        let _ = sender.send(());
    });
    drop(gone.await);
}

/// Returns the JSON with control characters and invisible characters written as escapes: programs
/// parse what the agent wrote, and a terminal does not act on it. Beyond ASCII there
/// is nothing but the insides of strings.
fn harmless(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        // Line ends are the JSON's own: inside strings they are escapes already.
        if c != '\n' && is_unseen(c) {
            let mut units = [0; 2];
            out.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    out
}

/// Returns the text without control characters. Tabs and line ends stay.
fn inert(text: &str) -> String {
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !c.is_control()).collect()
}

/// Prints a help, or the version.
pub fn print_help(help: &clap::Error) -> anyhow::Result<()> {
    help.print().and_then(|()| io::stdout().flush()).map_err(broken)
}

fn broken(error: io::Error) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Closed.into(),
        _ => anyhow::Error::new(error).context("cannot write to standard output"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_says_the_same_and_cannot_act_on_a_terminal() {
        let text =
            "a\x1b[2J\u{9b}2J\u{202e}x\u{e0041}\u{7f}\u{3164}\u{e0100} \"ü\" 日本\n👩\u{200d}💻";
        let json = harmless(&serde_json::to_string(&[text]).unwrap());
        assert!(json.chars().all(|c| !c.is_control() && !is_unseen(c)), "{json}");
        assert!(json.contains("ü") && json.contains("日本"), "{json}");
        let back: Vec<String> = serde_json::from_str(&json).unwrap();
        assert_eq!(back, [text]);
    }

    #[test]
    fn a_terminal_gets_a_whole_text_but_for_what_acts_on_it() {
        let text = "all:\r\n\tmake\u{200c}it\x1b[2J\u{9b}2J\u{7}\u{7f}";
        assert_eq!(inert(text), "all:\n\tmake\u{200c}it[2J2J");
    }
}
