//! The feed's log: every change, newest at the end, with the fields of the selected one.

use agent_worker_protocol::{
    event::{Event, EventBody, EventPage, LoggedEvent},
    run::{Run, RunState},
    target::Scope,
};
use ratatui_core::layout::Rect;

use crate::{
    action::Action,
    message::{Effect, Request},
    paint::{Painter, Row},
    state::{
        Focus, State,
        place::{Place, Subject, Tab},
    },
    theme::{Role, hue},
    update::{act::to_message, go},
};

/// How many events are kept.
const MOST: usize = 2_000;

/// Rows of the fields of the selected event.
const DETAIL: u16 = 9;

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
        let family = FAMILIES[self.family];
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
        subject: subject(&event.body),
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

/// What an event is about, in a word.
fn subject(body: &EventBody) -> String {
    match body {
        EventBody::AgentChanged(agent) => agent.target.to_string(),
        EventBody::AgentRemoved { target } => target.to_string(),
        EventBody::WorkflowChanged(workflow) => workflow.scope.to_string(),
        EventBody::MessageSent { message, .. } => message.id.to_string(),
        EventBody::DeliveryChanged(delivery) => delivery.message.to_string(),
        EventBody::RunChanged(run) => run.id.to_string(),
        EventBody::DocumentChanged(document) => document.file.clone(),
        EventBody::ResourceCreated(resource) => resource.id.to_string(),
        EventBody::GroupChanged(group) => group.name.to_string(),
        EventBody::QuestionChanged(question) => question.id.to_string(),
        EventBody::AttentionChanged(attention) => attention.scope.to_string(),
        EventBody::WorkflowRemoved { scope } => scope.to_string(),
    }
}

/// Beside the tabs.
pub fn note(state: &State) -> Row {
    let log = &state.panes.events;
    let mut words = Vec::new();
    if log.errors_only {
        words.push("errors".to_owned());
    }
    if log.family > 0 {
        words.push(FAMILIES[log.family].trim_end_matches('.').to_owned());
    }
    words.push(match log.selected {
        None => "follow".to_owned(),
        Some(selected) => {
            let below = log.shown().iter().filter(|event| event.seq > selected).count();
            format!("paused, {below} below")
        }
    });
    Row::of(words.join(", "), Role::Dim)
}

/// Its keys.
pub fn act(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    let page = isize::try_from(rows(state)).unwrap_or(1).max(1);
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
        Action::Filter => {
            let log = &mut state.panes.events;
            log.family = (log.family + 1) % FAMILIES.len();
            Vec::new()
        }
        Action::Open | Action::Cause => open(state),
        _ => return None,
    })
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

fn rows(state: &State) -> usize {
    let area = crate::view::layout::regions(state).main;
    usize::from(area.height.saturating_sub(DETAIL))
}

/// Draws it.
pub fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) {
    let log = &state.panes.events;
    let shown = log.shown();
    if shown.is_empty() {
        let words = if log.is_loaded { "nothing of this kind" } else { "loading" };
        painter.row(area, 1, area.height / 3, &Row::of(words, Role::Dim));
        return;
    }
    let height = usize::from(area.height.saturating_sub(DETAIL)).max(1);
    let own = selected(log);
    let at = own.and_then(|own| shown.iter().position(|event| event.seq == own.seq)).unwrap_or(0);
    let last = shown.len().saturating_sub(height);
    let top = if log.selected.is_none() { last } else { at.saturating_sub(height / 2).min(last) };
    for (y, event) in shown.iter().skip(top).take(height).enumerate() {
        let is_own = own.is_some_and(|own| own.seq == event.seq);
        let row = line(state, event, is_own).cut(usize::from(area.width), painter.symbols.ellipsis);
        let y = u16::try_from(y).unwrap_or(u16::MAX);
        painter.row(area, 0, y, &row);
        if is_own && state.focus == Focus::Main {
            painter.tint(Rect { y: area.y + y, height: 1, ..area }, Role::Selected);
        }
    }
    if let Some(own) = own {
        let y = u16::try_from(height).unwrap_or(0);
        detail(painter, Rect { y: area.y + y, height: area.height.saturating_sub(y), ..area }, own);
    }
}

fn line(state: &State, event: &LoggedEvent, is_own: bool) -> Row {
    let symbols = state.look.symbols;
    let mut row = Row::of(if is_own { symbols.selected } else { " " }, Role::Accent);
    row.push(state.look.zone.clock_seconds(event.at), Role::Dim);
    row.space(1);
    let is_bad = is_error(event);
    if is_bad {
        row.push(symbols.failed, Role::Failed);
        row.space(1);
    }
    row.push(family(&event.kind), if is_bad { Role::Failed } else { Role::Text });
    row.tab(18);
    row.push(event.actor.clone(), hue(&event.actor));
    row.tab(row.width().max(28) + 1);
    row.push(event.subject.clone(), Role::Text);
    if let Some(said) = said(event) {
        row.push(format!(" {said}"), Role::Dim);
    }
    row
}

/// A kind of event in a short word.
fn family(kind: &str) -> &'static str {
    match kind.split('.').next().unwrap_or("") {
        "message" => "msg",
        "delivery" => "mail",
        "run" => "run",
        "agent" => "agent",
        "workflow" => "flow",
        "document" => "doc",
        "resource" => "text",
        "group" => "read",
        "question" => "asks",
        "attention" => "need",
        _ => "other",
    }
}

/// What an event says in a few words.
fn said(event: &LoggedEvent) -> Option<String> {
    let text = |path: &str| event.body.pointer(path).and_then(|value| value.as_str());
    match event.kind.as_str() {
        "message.sent" => text("/message/content").map(ToOwned::to_owned),
        "run.changed" => {
            let state = text("/state")?;
            let more = text("/error").or(text("/activity")).unwrap_or("");
            Some(format!("{} {state} {more}", text("/agent").unwrap_or("")))
        }
        "agent.changed" | "workflow.changed" => text("/state").map(ToOwned::to_owned),
        "delivery.changed" => {
            Some(format!("{} {}", text("/agent").unwrap_or(""), text("/state").unwrap_or("")))
        }
        "question.changed" => {
            let more = text("/answer").or(text("/expired_because")).or(text("/text"));
            Some(format!("{} {}", text("/agent").unwrap_or(""), more.unwrap_or("")))
        }
        "document.changed" => {
            let version = event.body.get("version").and_then(serde_json::Value::as_i64);
            version.map(|version| format!("rev {version}"))
        }
        _ => None,
    }
}

/// The fields of an event, one on each line.
fn detail(painter: &mut Painter<'_>, area: Rect, event: &LoggedEvent) {
    painter.rule(area, 0, Some(Row::of(format!("event {}", event.seq), Role::Dim)));
    let mut fields: Vec<(String, String)> = vec![
        ("kind".to_owned(), event.kind.clone()),
        ("scope".to_owned(), event.scope.to_string()),
    ];
    if let Some(run) = event.run {
        fields.push(("run".to_owned(), run.to_string()));
    }
    if let Some(body) = event.body.as_object() {
        for (name, value) in body {
            if !value.is_null() {
                let text = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
                fields.push((name.clone(), text));
            }
        }
    }
    for (y, (name, value)) in (1..area.height).zip(fields) {
        let mut row = Row::of(format!(" {name}"), Role::Dim);
        row.tab(16);
        row.push(value, Role::Text);
        painter.row(area, 0, y, &row.cut(usize::from(area.width), painter.symbols.ellipsis));
    }
}
