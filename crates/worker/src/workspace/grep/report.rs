//! Matches, in the format of `grep`.

use std::{collections::VecDeque, fmt::Write as _, ops::ControlFlow};

use crate::workspace::Limits;

/// How much of a line is shown, in bytes.
const SHOWN: usize = 400;

/// How much of that stands before what was found in it, where the line is longer.
const BEFORE: usize = 100;

/// Lines that were found, each with its file and its number.
#[derive(Debug, Default)]
pub struct Report {
    most: usize,
    most_bytes: usize,
    context: usize,
    names_only: bool,
    text: String,
    found: usize,
    file: String,
    number: usize,
    /// The lines before, not told yet
    before: VecDeque<(usize, String)>,
    /// How many lines behind the last one found are still to be told
    behind: usize,
    /// Last line that was printed
    told: Option<usize>,
    is_full: bool,
    is_left_off: bool,
}

impl Report {
    pub fn new(limits: &Limits, context: usize, names_only: bool) -> Self {
        Self {
            most: limits.found,
            most_bytes: limits.found_bytes,
            context: if names_only { 0 } else { context },
            names_only,
            ..Self::default()
        }
    }

    /// The lines of this file come next.
    pub fn begin(&mut self, file: &str) {
        file.clone_into(&mut self.file);
        self.number = 0;
        self.told = None;
        self.behind = 0;
        self.before.clear();
    }

    /// The next line matches: what was found begins here in it. A break means
    /// that no more of this file is needed.
    pub fn found(&mut self, line: &[u8], at: usize) -> ControlFlow<()> {
        self.number += 1;
        if self.found == self.most {
            self.is_full = true;
            return ControlFlow::Break(());
        }
        self.found += 1;
        if self.names_only {
            let name = self.file.clone();
            self.line(&name);
            return ControlFlow::Break(());
        }
        for (number, line) in std::mem::take(&mut self.before) {
            self.numbered(number, '-', &line);
        }
        self.numbered(self.number, ':', &excerpt(line, at));
        self.behind = self.context;
        self.flow()
    }

    /// The next line is none of them.
    pub fn other(&mut self, line: &[u8]) -> ControlFlow<()> {
        self.number += 1;
        if self.context == 0 {
            return ControlFlow::Continue(());
        }
        if self.behind > 0 {
            self.behind -= 1;
            self.numbered(self.number, '-', &excerpt(line, 0));
            return self.flow();
        }
        if self.before.len() == self.context {
            self.before.pop_front();
        }
        self.before.push_back((self.number, excerpt(line, 0)));
        ControlFlow::Continue(())
    }

    /// Not all files are looked at.
    pub fn leave_off(&mut self) {
        self.is_left_off = true;
    }

    /// Whether more lines fit.
    pub fn flow(&self) -> ControlFlow<()> {
        if self.is_full || self.is_left_off {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    pub fn told(self) -> String {
        let mut text = self.text;
        if self.found == 0 {
            text.push_str("[nothing was found]\n");
        }
        if self.is_full {
            text.push_str("[there is more: look for something rarer, or in fewer files]\n");
        }
        if self.is_left_off {
            text.push_str("[there is too much text to look at all of it: name a folder]\n");
        }
        text
    }

    fn numbered(&mut self, number: usize, sign: char, line: &str) {
        let is_apart = self.told.is_none_or(|told| told + 1 < number);
        if self.context > 0 && is_apart && !self.text.is_empty() {
            self.line("--");
        }
        self.told = Some(number);
        let line = format!("{}{sign}{number}{sign}{line}", self.file);
        self.line(&line);
    }

    fn line(&mut self, line: &str) {
        if self.text.len() + line.len() >= self.most_bytes {
            self.is_full = true;
        }
        if !self.is_full {
            let _ = writeln!(self.text, "{line}");
        }
    }
}

/// A line as it is shown: of a long one the part around what was found.
fn excerpt(line: &[u8], at: usize) -> String {
    if line.len() <= SHOWN {
        return String::from_utf8_lossy(line).into_owned();
    }
    let start = if at + BEFORE > SHOWN { at - BEFORE } else { 0 };
    let rest = &line[start..];
    let shown = String::from_utf8_lossy(&rest[..rest.len().min(SHOWN)]);
    let (before, behind) = (start > 0, rest.len() > SHOWN);
    let mark = |is_cut| if is_cut { "…" } else { "" };
    // A cut character does not matter where more is missing.
    let shown = shown.trim_matches('\u{fffd}');
    format!("{}{shown}{}", mark(before), mark(behind))
}
