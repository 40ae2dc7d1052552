//! What is known of the terminal: what it answered so far.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::input::Answer;

/// After this long without an answer, a terminal is taken not to answer.
const SILENT: Duration = Duration::from_secs(2);

/// What the terminal answered, for all threads.
#[derive(Default)]
pub struct Known {
    state: Mutex<State>,
    told: Condvar,
}

#[derive(Default)]
struct State {
    asked: Option<Instant>,
    done: bool,
    can: Can,
}

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an answer of its own")]
struct Can {
    synchronized: bool,
    narrow: bool,
    keyboard: bool,
    clipboard: bool,
}

impl Known {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that questions are on their way.
    pub fn asked(&self) {
        let mut state = self.state();
        if state.asked.is_none() {
            state.asked = Some(Instant::now());
        }
    }

    pub fn learn(&self, answer: Answer) {
        let mut state = self.state();
        match answer {
            Answer::Attributes { clipboard } => {
                state.done = true;
                state.can.clipboard = clipboard;
            }
            Answer::Synchronized(can) => state.can.synchronized = can,
            Answer::Ambiguous(cells) => state.can.narrow = cells == 1,
            Answer::Keyboard => state.can.keyboard = true,
            Answer::Background(..) | Answer::Ready => {}
        }
        self.told.notify_all();
    }

    /// Whether a frame is shown at once if that is asked for.
    pub fn synchronized(&self) -> bool {
        self.state().can.synchronized
    }

    /// Whether characters of debatable width take one cell.
    pub fn narrow(&self) -> bool {
        self.state().can.narrow
    }

    /// Whether it tells keys apart.
    pub fn keyboard(&self) -> bool {
        self.state().can.keyboard
    }

    /// Whether it says that programs may write its clipboard.
    pub fn clipboard(&self) -> bool {
        self.state().can.clipboard
    }

    /// Waits until no answer is due any more, so that none goes to the program that reads
    /// next; whether that is so.
    pub fn settle(&self, patience: Duration) -> bool {
        let state = self.state();
        let due = |state: &State| {
            !state.done && state.asked.is_some_and(|asked| asked.elapsed() < SILENT)
        };
        if !due(&state) {
            return true;
        }
        let (state, _) = self
            .told
            .wait_timeout_while(state, patience, |state| due(state))
            .unwrap_or_else(PoisonError::into_inner);
        state.done
    }
}
