//! An agent, whole: what it is, what runs it, what it is told.

use std::collections::BTreeMap;

use agent_worker_client::{Clean, text::numbers};
use agent_worker_protocol::{
    agent::{Agent, AgentDetail, Origin},
    event::{Event, EventBody},
    session::Session,
    target::Target,
    workflow::Limits,
};
use ratatui_core::layout::Rect;

use crate::{
    action::Action,
    model::{
        State, layout,
        place::{Subject, Tab},
        requests::{Effect, Request},
        words,
    },
    overlays::{self, Overlay},
    paint::{Painter, Row},
    text::wrap,
    theme::Role,
};
use crate::{app::search, parts::list::stride};

/// Cells of what a line is about.
const NAME: usize = 11;

/// Lines of the system prompt that are shown.
const LINES: usize = 8;

/// Agents that were looked at whole.
#[derive(Debug, Default)]
pub struct Infos {
    known: BTreeMap<Target, AgentDetail>,
    asked: Option<Target>,
    /// Those that something has happened to since they were asked for
    old: Vec<Target>,
    /// The first row on the screen, and of whom
    top: (Option<Target>, usize),
}

fn of(state: &State) -> Option<&Target> {
    match &state.place.subject {
        Subject::Agent(target) => Some(target),
        _ => None,
    }
}

/// It came onto the screen.
pub fn shown(state: &mut State) -> Vec<Effect> {
    let target = of(state).cloned();
    let top = &mut state.panes.info.top;
    if top.0 != target {
        *top = (target, 0);
    }
    ask(state)
}

fn ask(state: &mut State) -> Vec<Effect> {
    let Some(target) = of(state).cloned().filter(|_| state.is_live()) else { return Vec::new() };
    let infos = &mut state.panes.info;
    let is_known = infos.known.contains_key(&target) && !infos.old.contains(&target);
    if is_known || infos.asked.is_some() {
        return Vec::new();
    }
    infos.old.retain(|old| *old != target);
    infos.asked = Some(target.clone());
    vec![Effect::Ask(Request::Agent(target))]
}

/// The picture is a new one: what was known may be old.
pub fn renewed(state: &mut State) {
    let infos = &mut state.panes.info;
    infos.old = infos.known.keys().cloned().collect();
    infos.asked = None;
}

/// Something changed.
pub fn heard(state: &mut State, event: &Event) -> Vec<Effect> {
    let target = match &event.body {
        EventBody::AgentChanged(agent) => &agent.target,
        EventBody::RunChanged(run) if !run.state.is_live() => &run.agent,
        EventBody::DeliveryChanged(delivery) => &delivery.agent,
        EventBody::AgentRemoved { target } => {
            state.panes.info.known.remove(target);
            return Vec::new();
        }
        _ => return Vec::new(),
    };
    let infos = &mut state.panes.info;
    let is_known = infos.known.contains_key(target) || infos.asked.as_ref() == Some(target);
    if is_known && !infos.old.contains(target) {
        infos.old.push(target.clone());
    }
    if state.place.tab == Tab::Info { ask(state) } else { Vec::new() }
}

/// It is loaded.
pub fn loaded(state: &mut State, target: &Target, detail: AgentDetail) -> Vec<Effect> {
    let infos = &mut state.panes.info;
    infos.asked = None;
    infos.known.insert(target.clone(), detail);
    if state.place.tab == Tab::Info { ask(state) } else { Vec::new() }
}

/// It could not be loaded.
pub fn failed(state: &mut State, request: &Request) {
    if let Request::Agent(_) = request {
        state.panes.info.asked = None;
    }
}

fn detail(state: &State) -> Option<&AgentDetail> {
    state.panes.info.known.get(of(state)?)
}

/// Its keys.
pub fn act(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    let height = usize::from(layout::regions(state).main.height);
    if let Some(by) = stride(action, height) {
        let last = rows(state, layout::channel_width(state)).len().saturating_sub(height);
        let top = &mut state.panes.info.top.1;
        *top = (*top).min(last).saturating_add_signed(by).min(last);
        return Some(Vec::new());
    }
    match action {
        Action::Pager | Action::Open => Some(system(state)),
        _ => None,
    }
}

fn system(state: &mut State) -> Vec<Effect> {
    let system = detail(state).and_then(|detail| detail.system.clone());
    let Some(system) = system else {
        state.tell("there is no system prompt");
        return Vec::new();
    };
    overlays::open(state, Overlay::pager("system prompt", &system))
}

/// Its rows as text.
pub fn copied(state: &State) -> Option<String> {
    let rows = rows(state, usize::MAX / 2);
    let lines: Vec<_> = rows.iter().map(Row::text).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Its lines as they are searched, and the first one on the screen.
pub fn lines(state: &State) -> (Vec<String>, Option<usize>) {
    let rows = rows(state, layout::channel_width(state));
    let at = state.panes.info.top.1.min(rows.len());
    (rows.iter().map(Row::text).collect(), Some(at))
}

/// Shows one of them at the top.
pub fn pick_line(state: &mut State, at: usize) -> Vec<Effect> {
    state.panes.info.top.1 = at;
    Vec::new()
}

/// Draws it.
pub fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) {
    let rows = rows(state, usize::from(area.width));
    let last = match search::wanted(state) {
        "" => rows.len().saturating_sub(usize::from(area.height)),
        _ => rows.len().saturating_sub(1),
    };
    let top = state.panes.info.top.1.min(last);
    for (y, row) in (0..area.height).zip(rows.into_iter().skip(top)) {
        painter.row(area, 0, y, &search::mark(state, row));
    }
}

fn rows(state: &State, width: usize) -> Vec<Row> {
    let Some(agent) = of(state).and_then(|target| state.mirror().agent(target)) else {
        return Vec::new();
    };
    let mut facts = of_agent(state, agent);
    match detail(state) {
        Some(detail) => facts.extend(of_detail(state, detail)),
        None => facts.push(Row::of("loading the rest", Role::Dim)),
    }
    wrap::wrap(&facts, width, NAME)
}

fn fact(name: &'static str, text: Option<String>) -> Row {
    let mut row = Row::of(name, Role::Dim);
    row.tab(NAME);
    match text {
        Some(text) => row.with(text, Role::Text),
        None => row.with("-", Role::Dim),
    }
}

fn of_agent(state: &State, agent: &Agent) -> Vec<Row> {
    let is = words::agent(state, agent);
    let mut how = Row::of("state", Role::Dim);
    how.tab(NAME);
    how.push(format!("{} {}", is.symbol, is.word), is.role);
    let mut facts = vec![
        fact("target", Some(agent.target.to_string())),
        fact("called", Some(agent.display_name.clone().unwrap_or_else(|| agent.name.to_string()))),
        fact("role", agent.role.clone()),
        how,
    ];
    if let Some(reason) = &agent.paused_reason {
        facts.push(fact("paused", Some(reason.clone())));
    }
    facts.extend([
        fact("task", agent.task.clone()),
        fact("model", agent.model.clone()),
        fact("backend", agent.backend.clone()),
        fact("unread", Some(agent.unread.to_string())),
    ]);
    facts
}

fn of_detail(state: &State, detail: &AgentDetail) -> Vec<Row> {
    let env = (!detail.env.is_empty()).then(|| detail.env.join(" "));
    let runs = match detail.runs.first() {
        Some(last) => {
            let is = words::run(state.look.symbols, last);
            Some(format!("last {} {} {}", last.id, is.symbol, is.word))
        }
        None => None,
    };
    let made = match detail.origin {
        Origin::File => "by its workflow's file",
        Origin::New => "with new",
        Origin::System => "by the daemon",
    };
    let tools = (!detail.tools.is_empty()).then(|| detail.tools.join(" "));
    let mut facts = vec![
        fact("held", Some(detail.held.to_string())),
        fact("gave up", Some(detail.dead.to_string())),
        fact("runs", runs),
        fact("session", detail.session.as_ref().map(session)),
        fact("time limit", Some(detail.timeout.to_string())),
        fact("attempts", Some(detail.attempts.to_string())),
        fact("limits", limits(&detail.limits)),
        fact("cwd", detail.cwd.clone()),
        fact("env", env),
        fact("tools", tools),
        fact("made", Some(format!("{} {made}", state.look.zone.full(detail.created_at)))),
        Row::new(),
    ];
    let Some(system) = &detail.system else {
        facts.push(fact("system", None));
        return facts;
    };
    facts.push(Row::of("system prompt", Role::Title));
    let text = Clean::text(system);
    let lines: Vec<&str> = text.as_str().lines().collect();
    for line in lines.iter().take(LINES) {
        facts.push(Row::of((*line).to_owned(), Role::Text));
    }
    if lines.len() > LINES {
        let more =
            format!("{} {} more lines, o opens", state.look.symbols.ellipsis, lines.len() - LINES);
        facts.push(Row::of(more, Role::Dim));
    }
    facts
}

/// How long a session is and what it has cost.
fn session(session: &Session) -> String {
    let held = session.tokens.map(|count| format!(", {} tokens", numbers::short(count)));
    let cost = session.cost.map(|cost| format!(", {}", numbers::cost(Some(cost))));
    format!(
        "{} turns, {}{}, {} runs{}",
        session.turns,
        numbers::size(session.bytes),
        held.unwrap_or_default(),
        session.runs,
        cost.unwrap_or_default()
    )
}

/// What its workflow may use; none if that is not limited.
fn limits(limits: &Limits) -> Option<String> {
    let mut words = Vec::new();
    words.extend(limits.hops.map(|hops| format!("{hops} hops")));
    words.extend(limits.runs.map(|runs| format!("{runs} runs a message")));
    words.extend(limits.max_runs.map(|runs| format!("{runs} runs at once")));
    words.extend(limits.agents.map(|agents| format!("{agents} agents")));
    words.extend(limits.tokens.map(|count| {
        format!("{} tokens", numbers::short(i64::try_from(count).unwrap_or(i64::MAX)))
    }));
    words.extend(limits.cost.map(|cost| numbers::cost(Some(cost))));
    words.extend(limits.duration.map(|duration| duration.to_string()));
    (!words.is_empty()).then(|| words.join(", "))
}
