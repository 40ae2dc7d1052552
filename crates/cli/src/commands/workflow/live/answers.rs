//! Answers that the user types where a workflow is watched.

use std::{
    collections::VecDeque,
    io,
    io::{BufRead as _, IsTerminal as _},
    time::Instant,
};

use agent_worker_protocol::{Question, QuestionId};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    termios::{QueueSelector, tcflush},
};
use tokio::sync::mpsc::{self, UnboundedReceiver};

/// The open questions of a workflow, and the terminal at which they can be answered.
#[derive(Debug, Default)]
pub struct Answers {
    /// Whether standard input is a terminal
    is_open: bool,
    /// Typed lines; read from the first question on
    typed: Option<UnboundedReceiver<(io::Result<Typed>, Instant)>>,
    open: VecDeque<Question>,
    /// Question behind which the cursor is
    prompted: Option<QuestionId>,
    /// When that question was shown: a line from before answers something else
    asked: Option<Instant>,
}

/// A line that the user typed; none at the end of the input.
pub type Typed = Option<String>;

impl Answers {
    /// Listens at the terminal, if standard input is one.
    pub fn listen() -> Self {
        Self { is_open: io::stdin().is_terminal(), ..Self::default() }
    }

    /// Whether questions are answered here.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Whether the user is asked for an answer.
    pub fn is_asking(&self) -> bool {
        self.prompted.is_some()
    }

    /// Takes note of a question that was asked, answered or closed.
    pub fn note(&mut self, question: &Question) {
        self.open.retain(|open| open.id != question.id);
        if self.is_open() && question.is_open() {
            self.open.push_back(question.clone());
            self.open.make_contiguous().sort_by_key(|open| open.id);
        }
    }

    /// Takes the questions as they are now, and asks again: in another database the same number is
    /// another question's.
    pub fn renew(&mut self, questions: &[Question]) {
        self.prompted = None;
        self.open.clear();
        for question in questions {
            self.note(question);
        }
    }

    /// The question to ask for now, once; whether the one asked for before was answered elsewhere.
    pub fn turn(&mut self) -> (Option<Question>, bool) {
        let is_there = |id: &QuestionId| self.open.iter().any(|open| open.id == *id);
        let is_gone = self.prompted.as_ref().is_some_and(|id| !is_there(id));
        if self.prompted.is_some() && !is_gone {
            return (None, false);
        }
        let next = self.open.front().cloned();
        self.prompted = next.as_ref().map(|open| open.id);
        if next.is_some() {
            self.forget_typed();
        }
        (next, is_gone)
    }

    /// Drops what was typed before the question is shown, read by the thread or not.
    fn forget_typed(&mut self) {
        let stdin = io::stdin();
        // In the background this would stop the process, and what is typed is the shell's.
        if self.is_open && is_in_front(&stdin) {
            // A terminal without this call only keeps what was typed.
            let _ = tcflush(&stdin, QueueSelector::IFlush);
        }
        self.asked = Some(Instant::now());
    }

    /// The question that is asked for leaves this place: it is answered, or left open.
    pub fn take(&mut self) -> Option<Question> {
        self.prompted = None;
        self.open.pop_front()
    }

    /// Asks for nothing more here.
    pub fn close(&mut self) {
        *self = Self::default();
    }

    /// The next line typed since the question was shown. Safe to be dropped and called again.
    pub async fn next(&mut self) -> io::Result<Typed> {
        loop {
            match self.typed.get_or_insert_with(read_on).recv().await {
                Some((Ok(Some(_)), at)) if self.asked.is_some_and(|asked| at <= asked) => {}
                Some((typed, _)) => return typed,
                None => return Ok(None),
            }
        }
    }
}

/// How often a process in the background looks whether it has the terminal again.
const BACKGROUND: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// Reads lines on a thread of its own, which ends with the process: nothing else can be done about
/// a read of a terminal.
///
/// Nothing is read in the background, where the shell has the terminal: that would stop this
/// process.
fn read_on() -> UnboundedReceiver<(io::Result<Typed>, Instant)> {
    let (lines, typed) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        let stdin = io::stdin();
        loop {
            let read = wait_for_input(&stdin).and_then(|()| read_line(&stdin));
            let is_last = !matches!(read, Ok(Some(_)));
            if lines.send((read, Instant::now())).is_err() || is_last {
                return;
            }
        }
    });
    typed
}

fn wait_for_input(stdin: &io::Stdin) -> io::Result<()> {
    let mut is_behind = false;
    loop {
        let input = PollFd::new(stdin, PollFlags::IN);
        // What is typed behind its back is the shell's: no event tells when that changes.
        let polled =
            if is_behind { poll(&mut [], Some(&BACKGROUND)) } else { poll(&mut [input], None) };
        match polled {
            Ok(_) if !is_in_front(stdin) => is_behind = true,
            Ok(_) if is_behind => is_behind = false,
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn read_line(stdin: &io::Stdin) -> io::Result<Typed> {
    let mut line = String::new();
    let is_end = stdin.lock().read_line(&mut line)? == 0;
    Ok((!is_end).then(|| line.trim().to_owned()))
}

/// Whether this process has the terminal.
fn is_in_front(stdin: &io::Stdin) -> bool {
    rustix::termios::tcgetpgrp(stdin).is_ok_and(|group| group == rustix::process::getpgrp())
}

#[cfg(test)]
#[path = "tests/answers.rs"]
mod tests;
