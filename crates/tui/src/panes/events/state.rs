//! What is kept of the log, and what of it is shown.

use agent_worker_protocol::{
    event::LoggedEvent,
    run::{Run, RunState},
    target::Scope,
};
use ratatui_core::layout::Rect;

use crate::model::{Model, Paging, Subject, layout};

/// How many events are kept.
pub(super) const MOST: usize = 2_000;

/// Which kinds are shown: everything, or one family.
pub(super) const FAMILIES: [&str; 6] = ["", "message.", "run.", "agent.", "workflow.", "document."];

/// What the pane keeps.
#[derive(Debug, Default)]
pub struct Log {
    /// Its scope; `None`: all scopes
    pub(super) scope: Option<Scope>,
    pub(super) events: Vec<LoggedEvent>,
    pub(super) paging: Paging,
    pub(super) older: Option<i64>,
    pub(super) is_loaded: bool,
    /// The selected event's number; none: the newest, and those that come
    pub(super) selected: Option<i64>,
    pub(super) errors_only: bool,
    pub(super) family: usize,
}

impl Log {
    pub(super) fn shown(&self) -> Vec<&LoggedEvent> {
        self.of(FAMILIES[self.family])
    }

    /// The events of a family that are shown.
    pub(super) fn of(&self, family: &str) -> Vec<&LoggedEvent> {
        let is_shown = |event: &&LoggedEvent| {
            event.kind.starts_with(family) && (!self.errors_only || is_error(event))
        };
        self.events.iter().filter(is_shown).collect()
    }
}

/// Whether an event is bad news.
pub(super) fn is_error(event: &LoggedEvent) -> bool {
    match run_of(event) {
        Some(run) => !matches!(run.state, RunState::Succeeded) && !run.state.is_live(),
        None => event.body.get("state").and_then(|state| state.as_str()).is_some_and(|state| {
            matches!(state, "dead" | "held" | "failed" | "stalled" | "paused")
        }),
    }
}

pub(super) fn run_of(event: &LoggedEvent) -> Option<Run> {
    (event.kind == "run.changed").then(|| serde_json::from_value(event.body.clone()).ok())?
}

pub(super) fn scope_of(model: &Model) -> Option<Scope> {
    match &model.place.subject {
        Subject::Workflow(scope) => Some(scope.clone()),
        _ => None,
    }
}

pub(super) fn selected(log: &Log) -> Option<&LoggedEvent> {
    let shown = log.shown();
    let at = log.selected.and_then(|seq| shown.iter().find(|event| event.seq == seq).copied());
    at.or(shown.last().copied())
}

/// Rows of what is shown, with the rule below it.
pub(super) const HEAD: u16 = 2;

/// Rows of the fields of the selected event.
pub(super) const DETAIL: u16 = 9;

/// Rows of the list on the screen.
pub fn rows(model: &Model) -> usize {
    height(layout::regions(model).main)
}

/// Rows of the list.
pub(super) fn height(area: Rect) -> usize {
    usize::from(area.height.saturating_sub(HEAD + DETAIL)).max(1)
}
