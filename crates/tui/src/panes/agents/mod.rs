//! The table of agents: of a workflow, or of all.

mod columns;
pub(super) mod order;
use std::collections::BTreeMap;

use agent_worker_protocol::{
    agent::AgentState,
    event::{Event, EventBody},
    target::Target,
    time::Timestamp,
};
use ratatui_core::layout::Rect;

use self::{
    columns::Columns,
    order::{Filter, Order, agents},
};
use crate::parts::list::{self, Picked, stride};
use crate::{
    action::Action,
    app::go,
    model::{
        Focus, State, layout,
        place::{Subject, Tab},
        requests::Effect,
    },
    paint::{Painter, Row},
    theme::Role,
};

pub use columns::attempt;

/// What the table keeps.
#[derive(Debug, Default)]
pub struct Board {
    picked: BTreeMap<Subject, Picked<Target>>,
    /// The order chosen here; none: that of the settings
    order: Option<Order>,
    filter: Filter,
    /// Since when agents are what they are, as far as the feed has told
    since: BTreeMap<Target, (AgentState, Timestamp)>,
}

fn targets(state: &State) -> Vec<Target> {
    agents(state).into_iter().map(|agent| agent.target.clone()).collect()
}

/// Agents on the screen, between the heading and the total.
fn height(state: &State) -> usize {
    usize::from(layout::regions(state).main.height).saturating_sub(2)
}

fn pick(state: &mut State, change: impl FnOnce(&mut Picked<Target>, &[Target], usize)) {
    let (targets, height) = (targets(state), height(state));
    let picked = state.panes.board.picked.entry(state.place.subject.clone()).or_default();
    change(picked, &targets, height);
}

/// It came onto the screen, or what it shows is another.
pub fn shown(state: &mut State) {
    pick(state, |picked, targets, _| picked.settle(targets));
}

/// The picture is a new one: what was between is not known.
pub fn renewed(state: &mut State) {
    state.panes.board.since.clear();
}

/// Something changed.
pub fn heard(state: &mut State, event: &Event) {
    match &event.body {
        EventBody::AgentChanged(agent) => {
            let since = &mut state.panes.board.since;
            if since.get(&agent.target).is_none_or(|(was, _)| *was != agent.state) {
                since.insert(agent.target.clone(), (agent.state, event.at));
            }
        }
        EventBody::AgentRemoved { target } => {
            state.panes.board.since.remove(target);
        }
        EventBody::WorkflowRemoved { scope } => {
            state.panes.board.since.retain(|target, _| target.scope.as_ref() != Some(scope));
            state.panes.board.picked.remove(&Subject::Workflow(scope.clone()));
        }
        _ => {}
    }
    if state.place.tab == Tab::Agents {
        shown(state);
    }
}

/// The selected agent.
pub fn selected(state: &State) -> Option<Target> {
    let picked = state.panes.board.picked.get(&state.place.subject)?;
    picked.get(&targets(state))
}

/// Its keys.
pub fn act(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    if let Some(by) = stride(action, height(state)) {
        pick(state, |picked, targets, height| picked.step(targets, by, height));
        return Some(Vec::new());
    }
    match action {
        Action::Open => Some(open(state)),
        Action::Order => {
            state.panes.board.order = Some(order::order(state).next());
            shown(state);
            Some(Vec::new())
        }
        _ => None,
    }
}

/// What the table can be filtered to, and which filter holds.
pub fn filters(state: &State) -> (Vec<String>, usize) {
    let words = |filter: &Filter| {
        let words = filter.words().unwrap_or("all agents");
        format!("{words}: {}", order::filtered(state, *filter).len())
    };
    let own = state.panes.board.filter;
    let at = Filter::ALL.iter().position(|filter| *filter == own).unwrap_or(0);
    (Filter::ALL.iter().map(words).collect(), at)
}

/// Filters the table, and says so if nothing is left.
pub fn filter(state: &mut State, at: usize) -> Vec<Effect> {
    let Some(filter) = Filter::ALL.get(at).copied() else { return Vec::new() };
    state.panes.board.filter = filter;
    if let Some(words) = filter.words()
        && agents(state).is_empty()
    {
        state.tell(format!("no agent is {words}: F shows others"));
    }
    shown(state);
    Vec::new()
}

fn open(state: &mut State) -> Vec<Effect> {
    let Some(target) = selected(state) else {
        state.tell("there is no agent here");
        return Vec::new();
    };
    let effects = go::agent(state, target, Tab::Run);
    state.focus = Focus::Main;
    effects
}

/// Its lines as they are searched, and the selected one.
pub fn lines(state: &State) -> (Vec<String>, Option<usize>) {
    let agents = agents(state);
    let at = selected(state).and_then(|own| agents.iter().position(|agent| agent.target == own));
    (agents.into_iter().map(|agent| columns::searched(state, agent)).collect(), at)
}

/// Selects one of them.
pub fn pick_line(state: &mut State, at: usize) -> Vec<Effect> {
    pick(state, |picked, targets, _| picked.pick(targets, at));
    Vec::new()
}

/// A row was clicked.
pub fn click(state: &mut State, row: u16) -> Vec<Effect> {
    let Some(row) = usize::from(row).checked_sub(1) else { return Vec::new() };
    pick(state, |picked, targets, height| {
        let at = picked.top(targets, height) + row;
        picked.pick(targets, at);
    });
    Vec::new()
}

/// What the line below says: the order, and what is left out.
pub fn line(state: &State) -> String {
    let board = &state.panes.board;
    let filter = board.filter.words().map(|words| format!("; only those {words}"));
    let filter = filter.unwrap_or_default();
    format!("{}{filter}; O changes the order, F filters", order::order(state).words())
}

/// Draws it.
pub fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) {
    let agents = agents(state);
    let area = list::margin(area);
    if agents.is_empty() {
        let words = match state.panes.board.filter {
            Filter::All => "there is no agent here",
            _ => "no agent is so: F shows others",
        };
        painter.row(area, 2, area.height / 3, &Row::of(words, Role::Dim));
        return;
    }
    let has_scope = !matches!(state.place.subject, Subject::Workflow(_));
    let columns = Columns::new(usize::from(area.width.saturating_sub(1)), has_scope);
    painter.row(area, 1, 0, &columns.heading());
    let targets: Vec<Target> = agents.iter().map(|agent| agent.target.clone()).collect();
    let height = height(state);
    let fresh = Picked::default();
    let picked = state.panes.board.picked.get(&state.place.subject).unwrap_or(&fresh);
    let (top, at) = (picked.top(&targets, height), picked.at(&targets));
    for (y, (number, agent)) in (1..).zip(agents.iter().enumerate().skip(top).take(height)) {
        let row = columns.line(state, agent);
        list::line(state, painter, area, y, &row, at == Some(number));
    }
    if let Some(total) = columns.total(&agents) {
        let y = u16::try_from(targets.len().min(height) + 1).unwrap_or(u16::MAX);
        painter.row(area, 1, y, &total);
    }
}
