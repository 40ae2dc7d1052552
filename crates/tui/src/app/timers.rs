//! What time alone changes.

use agent_worker_client::mirror::Connection;
use agent_worker_protocol::{Agent, AgentState};

use super::{App, compose};
use crate::model::{Effect, Tab, has_passed};

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
pub fn next(app: &App) -> Option<i64> {
    let known = &app.model.connection;
    let counts = known.retry_at.is_some() || matches!(known.feed.connection(), Connection::Silent);
    // Also by a clock that was set back it is never longer than that from now on.
    let after = |since: i64, ms: i64| since.min(app.model.now) + ms;
    let mut times = vec![counts.then_some((app.model.now / 1000 + 1) * 1000)];
    if let Some(notice) = app.model.prompt.notice.as_ref().filter(|notice| !notice.is_error) {
        times.push(Some(after(notice.since, NOTICE)));
    }
    times.push(silence(app).map(|at| at.min(app.model.now + HEARTBEAT)));
    times.push(app.model.prompt.leaving.map(|since| after(since, LEAVING)));
    let changed = [app.model.writing.composer.changed_at, app.written_at];
    times.extend(changed.map(|since| since.map(|since| after(since, SAVE))));
    times.push(clock(app));
    times.into_iter().flatten().min()
}

/// When the daemon has been silent for longer than it ever is.
fn silence(app: &App) -> Option<i64> {
    let is_open = matches!(
        app.model.connection.feed.connection(),
        Connection::Live | Connection::CatchingUp(_)
    );
    is_open.then_some(app.model.connection.heard_at + HEARTBEAT)
}

/// When a time on the screen is another.
fn clock(app: &App) -> Option<i64> {
    if !app.model.is_live() || !shows_a_clock(app) {
        return None;
    }
    let step = if app.model.display.look.motion { 1_000 } else { STILL };
    Some((app.model.now / step + 1) * step)
}

pub fn tick(app: &mut App) -> Vec<Effect> {
    let now = app.model.now;
    let prompt = &mut app.model.prompt;
    prompt.notice.take_if(|told| !told.is_error && has_passed(now, told.since, NOTICE));
    prompt.leaving.take_if(|since| has_passed(now, *since, LEAVING));
    // After the clock was set back, what was heard before counts as heard now.
    let heard_at = &mut app.model.connection.heard_at;
    *heard_at = now.min(*heard_at);
    if silence(app).is_some_and(|at| now >= at) {
        app.model.connection.feed.fall_silent();
    }
    let is_due = |changed: Option<i64>| changed.is_some_and(|since| has_passed(now, since, SAVE));
    let mut effects = Vec::new();
    if is_due(app.model.writing.composer.changed_at) {
        effects.extend(compose::keep(app));
    }
    if is_due(app.written_at) {
        effects.extend(app.keep_written());
    }
    effects
}

/// Whether a time on the screen goes on while nothing happens.
fn shows_a_clock(app: &App) -> bool {
    let model = &app.model;
    let is_shown = !model.display.is_too_small();
    let is_told = |agent: &Agent| match agent.state {
        AgentState::Running | AgentState::Backoff | AgentState::Waiting => true,
        AgentState::Queued => model.place.tab == Tab::Agents,
        _ => false,
    };
    is_shown && (app.pane().counts_down(model) || model.mirror().agents().any(is_told))
}
