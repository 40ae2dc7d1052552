//! What is kept of the log, and what of it is shown.

use agent_worker_protocol::{LoggedEvent, Run, RunState, Scope, Timestamp};
use ratatui_core::layout::Rect;

use crate::{
    model::LogPage,
    text::query::{Fact, Query, Value},
};

/// How many events are kept; up to twice as many while one is selected.
pub(super) const MOST: usize = 2_000;

/// Which kinds are shown: everything, or one family.
pub(super) const FAMILIES: [&str; 6] = ["", "message.", "run.", "agent.", "workflow.", "document."];

/// What the pane keeps.
#[derive(Debug, Default)]
pub struct Log {
    /// The epoch of the database that it is of
    pub(super) epoch: Option<String>,
    /// Its scope; `None`: all scopes
    pub(super) scope: Option<Scope>,
    pub(super) events: Vec<LoggedEvent>,
    /// The page that is on its way
    pub(super) asked: Option<LogPage>,
    /// Before which event the next older page is; `None` if all are loaded
    pub(super) older: Option<i64>,
    /// Whether there are newer ones: those that come are not kept
    pub(super) has_newer: bool,
    /// Pages that were loaded in a row because the filters let nothing through
    pub(super) sought: usize,
    /// What came while a newer page was on its way
    pub(super) meanwhile: Vec<LoggedEvent>,
    pub(super) is_loaded: bool,
    /// The selected event's number; none: the newest, and those that come
    pub(super) selected: Option<i64>,
    pub(super) errors_only: bool,
    pub(super) family: usize,
    /// What events must be like
    pub(super) query: Option<Query>,
}

/// What events can be filtered by.
pub(super) const FIELDS: [&str; 7] = ["kind", "actor", "subject", "workflow", "run", "age", "body"];

/// The values of an event by these names.
fn facts(event: &LoggedEvent, now: Timestamp) -> Vec<Fact> {
    vec![
        ("kind", Value::from(&event.kind)),
        ("actor", Value::from(&event.actor)),
        ("subject", Value::from(&event.subject)),
        ("workflow", Value::from(&event.scope.key())),
        ("run", event.run.as_ref().map_or(Value::Unknown, Value::from)),
        ("age", Value::span(now.since(event.at))),
        ("body", Value::from(&event.body)),
    ]
}

impl Log {
    pub(super) fn shown(&self) -> Vec<&LoggedEvent> {
        self.of(FAMILIES[self.family])
    }

    /// The events of a family that are shown.
    pub(super) fn of(&self, family: &str) -> Vec<&LoggedEvent> {
        // Age is counted from the newest, so that lines do not go while one looks at them.
        let newest = self.events.last().map_or(Timestamp(0), |event| event.at);
        let is_shown = |event: &&LoggedEvent| {
            event.kind.starts_with(family)
                && (!self.errors_only || is_error(event))
                && self.query.as_ref().is_none_or(|query| query.takes(&facts(event, newest)))
        };
        self.events.iter().filter(is_shown).collect()
    }

    /// Which of the shown events is selected: without a selection the newest.
    pub(super) fn at(&self, shown: &[&LoggedEvent]) -> Option<usize> {
        let at = self.selected.and_then(|seq| shown.iter().position(|event| event.seq == seq));
        at.or(shown.len().checked_sub(1))
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

/// Rows of what is shown, with the rule below it.
pub(super) const HEAD: u16 = 2;

/// Rows of the fields of the selected event.
pub(super) const DETAIL: u16 = 9;

/// Rows of the list.
pub(super) fn height(area: Rect) -> usize {
    usize::from(area.height.saturating_sub(HEAD + DETAIL)).max(1)
}
