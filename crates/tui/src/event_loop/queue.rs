//! What waits to be taken up: what the person does goes first and is never held back; what comes
//! from the network waits in its order, and its sender waits when there is too much.

use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use agent_worker_protocol::OutputEvent;

use crate::{app::Msg, terminal::Input};

/// How many messages from the network may wait.
const MOST: usize = 1_024;

/// How many are taken at once.
const BATCH: usize = 256;

#[derive(Debug, Default)]
struct Waiting {
    inputs: VecDeque<Input>,
    messages: VecDeque<(usize, Msg)>,
    is_closed: bool,
}

#[derive(Debug, Default)]
pub struct Queue {
    waiting: Mutex<Waiting>,
    came: Condvar,
    went: Condvar,
}

#[derive(Debug, Default)]
pub struct Batch {
    pub inputs: Vec<Input>,
    /// From which daemon each came, and what it is
    pub messages: Vec<(usize, Msg)>,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something came from the terminal.
    pub fn input(&self, input: Input) {
        self.lock().inputs.push_back(input);
        self.came.notify_one();
    }

    /// Something came from elsewhere, for the app of this daemon. Waits while too much does.
    pub fn message(&self, daemon: usize, msg: Msg) {
        let mut waiting = self.lock();
        let last = waiting.messages.back_mut().filter(|(from, _)| *from == daemon);
        if merged(last.map(|(_, last)| last), &msg) {
            return;
        }
        while waiting.messages.len() >= MOST && !waiting.is_closed {
            waiting = self.went.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        waiting.messages.push_back((daemon, msg));
        self.came.notify_one();
    }

    /// Closes the queue: senders that wait for room continue.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.went.notify_all();
    }

    /// What is there, or what comes until then; without an end as long as it takes.
    pub fn take(&self, until: Option<Instant>) -> Batch {
        let mut waiting = self.lock();
        while waiting.inputs.is_empty() && waiting.messages.is_empty() {
            let Some(until) = until else {
                waiting = self.came.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = until.saturating_duration_since(Instant::now());
            if left == Duration::ZERO {
                return Batch::default();
            }
            let woken = self.came.wait_timeout(waiting, left);
            waiting = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        let inputs = waiting.inputs.drain(..).collect();
        let count = waiting.messages.len().min(BATCH);
        let messages = waiting.messages.drain(..count).collect();
        self.went.notify_all();
        Batch { inputs, messages }
    }
}

/// Text that goes on where the last text ended is one text.
fn merged(last: Option<&mut Msg>, next: &Msg) -> bool {
    let (
        Some(Msg::Output(run, OutputEvent::Delta { n, off, text })),
        Msg::Output(next_run, OutputEvent::Delta { n: next_n, off: next_off, text: more }),
    ) = (last, next)
    else {
        return false;
    };
    let end = off.saturating_add(i64::try_from(text.len()).unwrap_or(i64::MAX));
    let goes_on = run == next_run && n == next_n && end == *next_off && text.len() < 64 * 1024;
    if goes_on {
        text.push_str(more);
    }
    goes_on
}

#[cfg(test)]
#[path = "tests/queue.rs"]
mod tests;
