//! What is known of the terminal: what it answered so far.

use std::{
    collections::VecDeque,
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
    /// When each unanswered frame was written, oldest first
    unshown: VecDeque<Instant>,
    /// When the newest frame was written
    written: Option<Instant>,
    /// Time between a frame and its answer, smoothed
    lag: Duration,
}

/// What the terminal can, as far as it has answered.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an answer of its own")]
pub struct Can {
    /// Whether a frame is shown at once if that is asked for
    pub synchronized: bool,
    /// Whether characters of debatable width take one cell
    pub narrow: bool,
    /// Whether it tells keys apart
    pub keyboard: bool,
    /// Whether it says that programs may write its clipboard
    pub clipboard: bool,
    /// Whether it answers frames
    pub ready: bool,
}

impl State {
    /// Counts frames without an answer as answered after [`SILENT`].
    fn forget(&mut self, now: Instant) {
        while self.unshown.front().is_some_and(|at| now.duration_since(*at) >= SILENT) {
            self.unshown.pop_front();
        }
    }

    fn shown(&mut self, now: Instant) {
        self.can.ready = true;
        if let Some(at) = self.unshown.pop_front() {
            let took = now.duration_since(at);
            self.lag = if self.lag.is_zero() { took } else { (self.lag * 3 + took) / 4 };
        }
    }

    /// Whether too many frames are unanswered for another.
    fn is_held(&self, is_asked: bool) -> bool {
        self.unshown.len() > usize::from(is_asked)
    }

    /// Earliest time of the next frame; `None` for at once. Frames that no key asked for leave two
    /// thirds of a link free.
    fn free_at(&self, is_asked: bool) -> Option<Instant> {
        let pause = if is_asked { Duration::ZERO } else { self.lag * 2 };
        Some(self.written? + pause)
    }
}

impl Known {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that questions are on their way.
    pub fn asked(&self) {
        self.state().asked.get_or_insert_with(Instant::now);
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
            Answer::Ready => state.shown(Instant::now()),
            Answer::Background(..) => {}
        }
        self.told.notify_all();
    }

    pub fn can(&self) -> Can {
        self.state().can
    }

    /// Notes that a frame is written. Returns whether it is to end with [`IS_SHOWN`](super::modes::IS_SHOWN).
    pub fn writes(&self) -> bool {
        let (mut state, now) = (self.state(), Instant::now());
        if state.can.ready {
            state.unshown.push_back(now);
            state.written = Some(now);
        }
        state.can.ready
    }

    /// Whether a frame may be written: one may be unanswered, or two if a key asked for the second. A
    /// link such as ssh takes every frame at once and keeps it, so only an answer says that it was
    /// shown.
    pub fn is_free(&self, is_asked: bool) -> bool {
        let (mut state, now) = (self.state(), Instant::now());
        state.forget(now);
        !state.is_held(is_asked) && state.free_at(is_asked).is_none_or(|at| at <= now)
    }

    /// When [`is_free`](Self::is_free) is to be asked again, if no answer comes before.
    pub fn free_at(&self, is_asked: bool) -> Option<Instant> {
        let state = self.state();
        match state.unshown.front() {
            Some(at) if state.is_held(is_asked) => Some(*at + SILENT),
            _ => state.free_at(is_asked),
        }
    }

    /// Waits until no answer is due any more, so that none goes to the program that reads
    /// next; whether that is so.
    pub fn settle(&self, patience: Duration) -> bool {
        let state = self.state();
        let due = |state: &State| {
            let is_asked = !state.done && state.asked.is_some();
            let at = if is_asked { state.asked.as_ref() } else { state.unshown.back() };
            at.is_some_and(|at| at.elapsed() < SILENT)
        };
        if !due(&state) {
            return true;
        }
        let (state, _) = self
            .told
            .wait_timeout_while(state, patience, |state| due(state))
            .unwrap_or_else(PoisonError::into_inner);
        state.done && state.unshown.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(begin: Instant, ms: u64) -> Instant {
        begin + Duration::from_millis(ms)
    }

    fn write(state: &mut State, at: Instant) {
        state.unshown.push_back(at);
        state.written = Some(at);
    }

    #[test]
    fn a_frame_waits_for_the_one_before_and_a_key_for_one_more() {
        let (mut state, begin) = (State::default(), Instant::now());
        assert_eq!(state.free_at(false), None, "nothing was written");
        write(&mut state, begin);
        assert_eq!((state.is_held(false), state.is_held(true)), (true, false));
        write(&mut state, after(begin, 10));
        assert!(state.is_held(true));
        state.shown(after(begin, 100));
        assert_eq!((state.is_held(false), state.is_held(true)), (true, false));
        state.shown(after(begin, 110));
        assert!(!state.is_held(false));
        // Each took 100 ms.
        assert_eq!(state.free_at(false), Some(after(begin, 210)));
        assert_eq!(state.free_at(true), Some(after(begin, 10)));
    }

    #[test]
    fn a_frame_whose_answer_is_lost_is_taken_for_shown_after_a_while() {
        let (mut state, begin) = (State::default(), Instant::now());
        write(&mut state, begin);
        state.forget(after(begin, 1_999));
        assert!(state.is_held(false));
        state.forget(after(begin, 2_000));
        assert!(!state.is_held(false));
    }
}
