//! What time alone changes.

use agent_worker_client::mirror::Connection;

use super::compose;
use crate::model::{State, requests::Effect};

/// How long good news stay, ms.
const NOTICE: i64 = 6_000;

/// How long the second Ctrl-C is waited for, ms.
const LEAVING: i64 = 1_500;

/// How long after a change a draft is written to disk at the latest, and how much time there is
/// between two writes at the least, ms.
const SAVE: i64 = 500;

/// How long the daemon is silent at the most while all is well, ms.
const HEARTBEAT: i64 = 15_000;

/// Without motion times go on this often, ms.
const STILL: i64 = 10_000;

/// When something must be done even if nothing comes in, ms; none: never.
pub fn next(state: &State) -> Option<i64> {
    let mut times = vec![state.retry_at.map(|_| (state.now / 1000 + 1) * 1000)];
    if let Some(notice) = state.notice.as_ref().filter(|notice| !notice.is_error) {
        times.push(Some(notice.since + NOTICE));
    }
    times.push(silence(state));
    times.push(state.leaving.map(|since| since + LEAVING));
    times.push(state.composer.changed_at.map(|since| since + SAVE));
    times.push(clock(state));
    times.into_iter().flatten().min()
}

/// When the daemon has been silent for longer than it ever is.
fn silence(state: &State) -> Option<i64> {
    let is_open = matches!(state.feed.connection(), Connection::Live | Connection::CatchingUp(_));
    is_open.then_some(state.heard_at + HEARTBEAT)
}

/// When a time on the screen is another.
fn clock(state: &State) -> Option<i64> {
    if !state.is_live() || !crate::screen::shows_a_clock(state) {
        return None;
    }
    let step = if state.look.motion { 1_000 } else { STILL };
    Some((state.now / step + 1) * step)
}

/// Time has passed.
pub fn tick(state: &mut State) -> Vec<Effect> {
    let now = state.now;
    if state.notice.as_ref().is_some_and(|notice| !notice.is_error && now - notice.since >= NOTICE)
    {
        state.notice = None;
    }
    if silence(state).is_some_and(|at| now >= at) {
        state.feed.fall_silent();
    }
    if state.leaving.is_some_and(|since| now - since >= LEAVING) {
        state.leaving = None;
    }
    let is_due = state.composer.changed_at.is_some_and(|since| now - since >= SAVE);
    if is_due { compose::keep(state) } else { Vec::new() }
}
