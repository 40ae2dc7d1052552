//! The feed's log: every change, newest at the end, with the fields of the selected one.

mod draw;

use crate::{
    action::Action,
    app::{act::to_message, go},
    model::{
        State,
        place::{Place, Subject, Tab},
        requests::{Effect, Request},
    },
    paint::Row,
    theme::Role,
};
use agent_worker_protocol::{
    event::{Event, EventPage, LoggedEvent},
    run::{Run, RunState},
    target::Scope,
};

pub use draw::draw;

/// How many events are kept.
const MOST: usize = 2_000;

/// Which kinds are shown: everything, or one family.
const FAMILIES: [&str; 6] = ["", "message.", "run.", "agent.", "workflow.", "document."];

/// What the pane keeps.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Log {
    /// Of which scope; none: of all
    scope: Option<Scope>,
    events: Vec<LoggedEvent>,
    has_older: bool,
    older: Option<i64>,
    is_loaded: bool,
    is_loading: bool,
    /// The selected event's number; none: the newest, and those that come
    selected: Option<i64>,
    errors_only: bool,
    family: usize,
}

impl Log {
    fn shown(&self) -> Vec<&LoggedEvent> {
        self.of(FAMILIES[self.family])
    }

    /// The events of a family that are shown.
    fn of(&self, family: &str) -> Vec<&LoggedEvent> {
        let is_shown = |event: &&LoggedEvent| {
            event.kind.starts_with(family) && (!self.errors_only || is_error(event))
        };
        self.events.iter().filter(is_shown).collect()
    }
}

/// Whether an event is bad news.
fn is_error(event: &LoggedEvent) -> bool {
    match run_of(event) {
        Some(run) => !matches!(run.state, RunState::Succeeded) && !run.state.is_live(),
        None => event.body.get("state").and_then(|state| state.as_str()).is_some_and(|state| {
            matches!(state, "dead" | "held" | "failed" | "stalled" | "paused")
        }),
    }
}

fn run_of(event: &LoggedEvent) -> Option<Run> {
    (event.kind == "run.changed").then(|| serde_json::from_value(event.body.clone()).ok())?
}

fn scope_of(state: &State) -> Option<Scope> {
    match &state.place.subject {
        Subject::Workflow(scope) => Some(scope.clone()),
        _ => None,
    }
}

/// It came onto the screen.
pub fn shown(state: &mut State) -> Vec<Effect> {
    if state.place.tab != Tab::Events || !state.is_live() {
        return Vec::new();
    }
    let scope = scope_of(state);
    let log = &mut state.panes.events;
    if log.scope != scope {
        let (errors_only, family) = (log.errors_only, log.family);
        *log = Log { scope, errors_only, family, ..Log::default() };
    }
    if log.is_loaded || log.is_loading {
        return Vec::new();
    }
    log.is_loading = true;
    vec![Effect::Ask(Request::Log(log.scope.clone(), None))]
}

/// The picture is a new one.
pub fn renewed(state: &mut State) {
    let log = &mut state.panes.events;
    (log.is_loaded, log.is_loading) = (false, false);
}

/// A page of it.
pub fn loaded(
    state: &mut State,
    scope: Option<&Scope>,
    before: Option<i64>,
    page: EventPage,
) -> Vec<Effect> {
    let log = &mut state.panes.events;
    if log.scope.as_ref() != scope {
        return Vec::new();
    }
    log.is_loading = false;
    log.has_older = page.more;
    log.older = page.next;
    let first = log.events.first().map_or(i64::MAX, |event| event.seq);
    let mut events = page.events;
    if before.is_some() && log.is_loaded {
        events.retain(|event| event.seq < first);
        events.append(&mut log.events);
    } else {
        let last = events.last().map_or(0, |event| event.seq);
        events.extend(log.events.drain(..).filter(|event| event.seq > last));
    }
    log.events = events;
    log.is_loaded = true;
    Vec::new()
}

/// It could not be loaded.
pub fn failed(state: &mut State, request: &Request) {
    if matches!(request, Request::Log(..)) {
        state.panes.events.is_loading = false;
    }
}

/// Something changed.
pub fn heard(state: &mut State, event: &Event) {
    let log = &mut state.panes.events;
    let is_wanted = log.scope.as_ref().is_none_or(|scope| *scope == event.scope);
    if !(log.is_loaded || log.is_loading) || !is_wanted {
        return;
    }
    let value = serde_json::to_value(&event.body).unwrap_or_default();
    log.events.push(LoggedEvent {
        seq: event.seq,
        scope: event.scope.clone(),
        kind: event.body.kind().to_owned(),
        subject: event.body.subject(),
        run: event.run,
        actor: event.actor.clone(),
        at: event.at,
        body: value.get("body").cloned().unwrap_or_default(),
    });
    let from = log.events.len().saturating_sub(MOST);
    if from > 0 && log.selected.is_none() {
        log.events.drain(..from);
        log.has_older = true;
        log.older = log.events.first().map(|event| event.seq);
    }
}

/// Beside the tabs.
pub fn note(state: &State) -> Row {
    let log = &state.panes.events;
    match log.selected {
        None => Row::of("follow", Role::Running),
        Some(selected) => {
            let below = log.shown().iter().filter(|event| event.seq > selected).count();
            Row::of(format!("paused, {below} below"), Role::Wait)
        }
    }
}

/// What the line of the composer says.
pub fn line(state: &State) -> String {
    let count = state.panes.events.shown().len();
    let live = if state.is_live() { "live" } else { "not live" };
    format!("{count} of {} events, {live}", state.mirror().seq())
}

/// Its keys.
pub fn act(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    let page = isize::try_from(draw::rows(state)).unwrap_or(1).max(1);
    Some(match action {
        Action::Down | Action::NextItem => step(state, 1),
        Action::Up | Action::PreviousItem => step(state, -1),
        Action::HalfDown => step(state, page / 2),
        Action::HalfUp => step(state, -page / 2),
        Action::PageDown => step(state, page),
        Action::PageUp => step(state, -page),
        Action::First => step(state, isize::MIN / 2),
        Action::Last => {
            state.panes.events.selected = None;
            Vec::new()
        }
        Action::ErrorsOnly => {
            state.panes.events.errors_only = !state.panes.events.errors_only;
            Vec::new()
        }
        Action::Open | Action::Cause => open(state),
        _ => return None,
    })
}

/// The kinds of events that can be shown, and which are.
pub fn filters(state: &State) -> (Vec<String>, usize) {
    let log = &state.panes.events;
    let words = |family: &&str| {
        let name = if family.is_empty() { "all" } else { family.trim_end_matches('.') };
        format!("{name}: {}", log.of(family).len())
    };
    (FAMILIES.iter().map(words).collect(), log.family)
}

/// Shows only one kind, and says so if there is none of it.
pub fn filter(state: &mut State, at: usize) -> Vec<Effect> {
    state.panes.events.family = at.min(FAMILIES.len() - 1);
    if state.panes.events.shown().is_empty() {
        state.tell("no event of this kind is loaded: F shows others");
    }
    Vec::new()
}

fn step(state: &mut State, by: isize) -> Vec<Effect> {
    let log = &state.panes.events;
    let shown: Vec<i64> = log.shown().iter().map(|event| event.seq).collect();
    let last = shown.len().saturating_sub(1);
    let at = log.selected.and_then(|seq| shown.iter().position(|known| *known == seq));
    let to = at.unwrap_or(last).saturating_add_signed(by).min(last);
    let is_end = to == last && by > 0;
    state.panes.events.selected = shown.get(to).copied().filter(|_| !is_end);
    let log = &mut state.panes.events;
    if to > 20 || !log.has_older || log.is_loading || by > 0 {
        return Vec::new();
    }
    log.is_loading = true;
    vec![Effect::Ask(Request::Log(log.scope.clone(), log.older))]
}

/// Its lines as they are searched, and the selected one.
pub fn lines(state: &State) -> (Vec<String>, Option<usize>) {
    let log = &state.panes.events;
    let shown = log.shown();
    let own = selected(log).map(|event| event.seq);
    let at = own.and_then(|own| shown.iter().position(|event| event.seq == own));
    let line = |event: &&LoggedEvent| {
        format!("{} {} {} {} {}", event.kind, event.actor, event.subject, event.scope, event.body)
    };
    (shown.iter().map(line).collect(), at)
}

/// Selects one of them.
pub fn pick_line(state: &mut State, at: usize) -> Vec<Effect> {
    state.panes.events.selected = state.panes.events.shown().get(at).map(|event| event.seq);
    Vec::new()
}

fn selected(log: &Log) -> Option<&LoggedEvent> {
    let shown = log.shown();
    let at = log.selected.and_then(|seq| shown.iter().find(|event| event.seq == seq).copied());
    at.or(shown.last().copied())
}

/// Goes to the thing the event is about.
fn open(state: &mut State) -> Vec<Effect> {
    let Some(event) = selected(&state.panes.events).cloned() else { return Vec::new() };
    let family = event.kind.split('.').next().unwrap_or("");
    match family {
        "message" | "delivery" => match event.subject.parse() {
            Ok(message) => to_message(state, &event.scope, message),
            Err(_) => Vec::new(),
        },
        "run" => match run_of(&event) {
            Some(run) => go::agent(state, run.agent, Tab::Run),
            None => Vec::new(),
        },
        "agent" => match event.subject.parse() {
            Ok(target) => go::agent(state, target, Tab::Run),
            Err(_) => Vec::new(),
        },
        "document" => go::go(state, Place::at(Subject::Workflow(event.scope), Tab::Documents)),
        _ => go::go(state, Place::of(Subject::Workflow(event.scope))),
    }
}
