//! Text that comes as keys, faster than anyone types: dictation, a paste without brackets, another
//! program. It must not run commands.

use std::time::{Duration, Instant};

use super::input::Input;
use crate::key::{Code, Key};

/// This many characters within this time are not typed.
const MANY: usize = 6;
const WITHIN: Duration = Duration::from_millis(40);

/// Tells what is typed from what is not.
#[derive(Default)]
pub struct Guard {
    /// What was delivered a moment ago
    lately: Vec<(Instant, char)>,
    /// What is kept back until it is known what it is
    held: Vec<Key>,
    /// Until when
    until: Option<Instant>,
    /// Whether a burst goes on
    bursting: bool,
}

impl Guard {
    /// When [`silence`](Self::silence) has something to do.
    pub fn due(&self) -> Option<Instant> {
        self.until
    }

    /// Takes what was read at once.
    pub fn batch(&mut self, batch: Vec<Input>, now: Instant, out: &mut Vec<Input>) {
        self.silence(now, out);
        let mut fresh = 0;
        for input in batch {
            match input {
                Input::Key(key) if is_text(key) => {
                    self.held.push(key);
                    fresh += 1;
                }
                // What the terminal says of itself comes between keys.
                Input::Answer(_) | Input::Focus(_) => out.push(input),
                _ => {
                    self.release(now, out);
                    self.bursting = false;
                    self.until = None;
                    fresh = 0;
                    out.push(input);
                }
            }
        }
        if fresh > 0 {
            self.weigh(fresh, now, out);
        }
    }

    fn weigh(&mut self, fresh: usize, now: Instant, out: &mut Vec<Input>) {
        let alone = fresh == 1 && self.held.len() == 1;
        if self.bursting || alone || self.is_burst(now) {
            self.release(now, out);
            self.until = self.bursting.then(|| now + WITHIN);
        } else if self.until.is_none() {
            self.until = Some(now + WITHIN);
        }
    }

    /// Takes note that time has passed.
    pub fn silence(&mut self, now: Instant, out: &mut Vec<Input>) {
        if self.until.is_some_and(|until| until <= now) {
            self.release(now, out);
            self.until = None;
            self.bursting = false;
        }
    }

    fn release(&mut self, now: Instant, out: &mut Vec<Input>) {
        if self.held.is_empty() {
            return;
        }
        self.bursting |= self.is_burst(now);
        let held = std::mem::take(&mut self.held);
        if self.bursting {
            out.push(Input::Burst(held));
            return;
        }
        self.lately.extend(held.iter().filter_map(|key| Some((now, key.written()?))));
        out.extend(held.into_iter().map(Input::Key));
    }

    /// Whether what is kept back, with what came just before, is a burst. One key that is held down
    /// is none, however many of it a slow connection brings at once.
    fn is_burst(&mut self, now: Instant) -> bool {
        self.lately.retain(|(when, _)| now.saturating_duration_since(*when) < WITHIN);
        let lately = self.lately.iter().map(|(_, c)| *c);
        let chars: Vec<char> =
            lately.chain(self.held.iter().filter_map(|key| key.written())).collect();
        chars.len() >= MANY && chars.iter().any(|c| *c != chars[0])
    }
}

/// Whether a text that comes as keys may hold it.
fn is_text(key: Key) -> bool {
    let bare = !key.ctrl && !key.alt && !key.shift;
    key.written().is_some()
        || bare && matches!(key.code, Code::Enter | Code::Tab)
        || key == Key::ctrl('j')
}

#[cfg(test)]
#[path = "tests/burst.rs"]
mod tests;
