//! That the terminal is held, and how it is given back: by whichever comes first, and once.

use std::{
    fs::OpenOptions,
    io,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::fs::OpenOptionsExt as _,
    },
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rustix::{
    process::Signal,
    termios::{self, OptionalActions, Termios},
};

use super::{
    modes::{self, Keys, Modes},
    tty::{self, Ends},
};

/// How long a terminal may take for the few bytes that give it back.
const PATIENCE: Duration = Duration::from_millis(200);

/// How the terminal is used.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Whether the mouse is asked for.
    pub mouse: bool,
    /// Where errors are written while the screen is up.
    pub log: Option<PathBuf>,
}

/// The terminal and what it was like before.
pub struct Hold {
    ends: Ends,
    log: Option<PathBuf>,
    state: Mutex<State>,
    abandoned: AtomicBool,
}

struct State {
    before: Termios,
    modes: Modes,
    /// Whether lines are not edited and keys not shown by the terminal itself
    raw: bool,
    /// Whether the screen is ours
    shown: bool,
    /// What the window is called while it is
    title: Option<String>,
    /// Where errors went before
    errors: Option<OwnedFd>,
}

impl State {
    /// What sets the title, and first keeps the one before.
    fn titled(&mut self) -> Vec<u8> {
        let Some(title) = &self.title else { return Vec::new() };
        let keep = !std::mem::replace(&mut self.modes.title, true);
        modes::title(title, keep)
    }
}

impl Hold {
    /// A terminal that may be asked to tell keys apart, or not.
    pub fn new(ends: Ends, options: Options, has_keys: bool) -> io::Result<Self> {
        let before = termios::tcgetattr(&ends.input)?;
        let keys = if has_keys { Keys::First } else { Keys::Never };
        let modes = Modes { mouse: options.mouse, keys, ..Modes::default() };
        let state = State { before, modes, raw: false, shown: false, title: None, errors: None };
        Ok(Self {
            ends,
            log: options.log,
            state: Mutex::new(state),
            abandoned: AtomicBool::new(false),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where keys come from.
    pub fn input(&self) -> BorrowedFd<'_> {
        self.ends.input.as_fd()
    }

    /// Where the screen is.
    pub fn output(&self) -> BorrowedFd<'_> {
        self.ends.output.as_fd()
    }

    /// Columns and rows; none of either where the terminal is gone.
    pub fn size(&self) -> (u16, u16) {
        termios::tcgetwinsize(self.output()).map_or((0, 0), |size| (size.ws_col, size.ws_row))
    }

    /// Whether the terminal is ours to draw on.
    pub fn is_held(&self) -> bool {
        self.state().raw
    }

    /// Takes the keys; what it answers takes the screen once it is written.
    pub fn enter(&self) -> io::Result<Vec<u8>> {
        let mut state = self.state();
        if !state.raw {
            state.before = termios::tcgetattr(&self.ends.input)?;
        }
        let mut raw = state.before.clone();
        raw.make_raw();
        termios::tcsetattr(&self.ends.input, OptionalActions::Now, &raw)?;
        state.raw = true;
        if state.errors.is_none() {
            state.errors = self.log.as_deref().and_then(errors_to);
        }
        let bytes = state.modes.enter();
        if state.modes.keys == Keys::First {
            state.modes.keys = Keys::Again;
        }
        Ok(bytes)
    }

    /// Says that what [`enter`](Self::enter) answered is being written; what sets the title again
    /// goes behind it.
    pub fn shown(&self) -> Vec<u8> {
        let mut state = self.state();
        state.shown = true;
        state.titled()
    }

    /// What takes the mouse or gives it back.
    pub fn mouse(&self, on: bool) -> Vec<u8> {
        self.state().modes.mouse = on;
        modes::mouse(on)
    }

    /// What sets the window's title; nothing before the screen is ours, which sets it then.
    pub fn title(&self, title: &str) -> Vec<u8> {
        let mut state = self.state();
        state.title = Some(title.to_owned());
        if state.shown { state.titled() } else { Vec::new() }
    }

    /// Shows the screen that was there before; `cut` says that something was being written and is
    /// not to the end.
    pub fn show_main(&self, cut: bool) {
        self.show_main_in(&mut self.state(), cut);
    }

    fn show_main_in(&self, state: &mut State, cut: bool) {
        if std::mem::take(&mut state.shown) && !self.is_elsewhere() {
            let begin = if cut { modes::CUT } else { "" };
            let bytes = [begin.as_bytes(), &state.modes.leave()].concat();
            tty::write_within(self.output(), &bytes, PATIENCE);
            state.modes.title = false;
        }
    }

    /// Whether another process group owns the terminal: a process that touches it then is
    /// stopped.
    fn is_elsewhere(&self) -> bool {
        termios::tcgetpgrp(self.output()).is_ok_and(|group| group != rustix::process::getpgrp())
    }

    /// Gives everything back; keys that were not read are thrown away if they may be answers.
    pub fn leave(&self, unanswered: bool) {
        self.leave_in(&mut self.state(), unanswered, false);
    }

    fn leave_in(&self, state: &mut State, flush: bool, cut: bool) {
        self.show_main_in(state, cut);
        if std::mem::take(&mut state.raw) && !self.is_elsewhere() {
            if flush {
                let _ = termios::tcflush(&self.ends.input, termios::QueueSelector::IFlush);
            }
            if let Err(error) =
                termios::tcsetattr(&self.ends.input, OptionalActions::Now, &state.before)
            {
                tracing::debug!(%error, "the terminal is not as it was");
            }
        }
        if let Some(before) = state.errors.take() {
            let _ = rustix::stdio::dup2_stderr(before);
        }
    }

    /// Gives everything back from the midst of anything: a sequence that was being written ends.
    pub fn abandon(&self) {
        let mut state = match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(state)) => state.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        self.abandoned.store(true, Ordering::Release);
        self.leave_in(&mut state, true, true);
    }

    /// Whether it was given back for good, so that nothing may be written any more.
    pub fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Acquire)
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.leave(false);
    }
}

/// Stops the process and those it was started with.
pub fn stop() {
    if let Err(error) = rustix::process::kill_current_process_group(Signal::STOP) {
        tracing::warn!(%error, "the process does not stop");
    }
}

/// Sends errors to the log, if they would be on the screen; answers where they went before.
fn errors_to(log: &Path) -> Option<OwnedFd> {
    let errors = io::stderr();
    if !termios::isatty(errors.as_fd()) {
        return None;
    }
    let log = OpenOptions::new().create(true).append(true).mode(0o600).open(log);
    let log = log.inspect_err(|error| tracing::warn!(%error, "no log for errors")).ok()?;
    let before = rustix::io::fcntl_dupfd_cloexec(errors.as_fd(), 3).ok()?;
    rustix::stdio::dup2_stderr(log).ok()?;
    Some(before)
}
