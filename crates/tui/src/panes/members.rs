//! Who is in a conversation.

use agent_worker_protocol::{
    agent::{Agent, MemberKind},
    conversation::Conversation,
    name::Name,
    target::Target,
};
use ratatui_core::layout::Rect;

use crate::parts::list::{self, Picked, stride};
use crate::{
    action::Action,
    app::go,
    model::{
        Focus, State, layout,
        place::{Subject, Tab},
        requests::Effect,
        words,
    },
    paint::{Painter, Row},
    text::cut,
    theme::{Role, hue},
};

/// What it keeps.
#[derive(Debug, Default)]
pub struct Members {
    picked: Picked<Target>,
}

fn targets(state: &State) -> Vec<Target> {
    let Subject::Talk(scope, talk) = &state.place.subject else { return Vec::new() };
    let names: Vec<Name> = match talk {
        Conversation::Channel => {
            state.mirror().agents_of(scope).map(|agent| agent.name.clone()).collect()
        }
        Conversation::Direct(one, other) => vec![one.clone(), other.clone()],
        Conversation::Group(_) => {
            state.mirror().group(scope, talk).map(|group| group.members.clone()).unwrap_or_default()
        }
    };
    names.into_iter().map(|name| Target::member(name, scope.clone())).collect()
}

/// The selected one.
pub fn selected(state: &State) -> Option<Target> {
    let target = state.panes.members.picked.get(&targets(state))?;
    let agent = state.mirror().agent(&target)?;
    (agent.kind != MemberKind::Person).then_some(target)
}

/// Its keys.
pub fn act(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    let height = usize::from(layout::regions(state).main.height);
    if let Some(by) = stride(action, height) {
        let targets = targets(state);
        state.panes.members.picked.step(&targets, by, height);
        return Some(Vec::new());
    }
    if action != Action::Open {
        return None;
    }
    let Some(target) = selected(state) else { return Some(Vec::new()) };
    let effects = go::agent(state, target, Tab::Run);
    state.focus = Focus::Main;
    Some(effects)
}

/// Its lines as they are searched, and the selected one.
pub fn lines(state: &State) -> (Vec<String>, Option<usize>) {
    let targets = targets(state);
    let at = state.panes.members.picked.at(&targets);
    (targets.iter().map(|target| line(state, target).text()).collect(), at)
}

/// Selects one of them.
pub fn pick_line(state: &mut State, at: usize) -> Vec<Effect> {
    let targets = targets(state);
    state.panes.members.picked.pick(&targets, at);
    Vec::new()
}

/// A row was clicked.
pub fn click(state: &mut State, row: u16) -> Vec<Effect> {
    let targets = targets(state);
    let height = usize::from(layout::regions(state).main.height);
    let picked = &mut state.panes.members.picked;
    picked.pick(&targets, picked.top(&targets, height) + usize::from(row));
    Vec::new()
}

/// Draws it.
pub fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) {
    let area = list::margin(area);
    let targets = targets(state);
    let picked = &state.panes.members.picked;
    let height = usize::from(area.height);
    let (top, at) = (picked.top(&targets, height), picked.at(&targets));
    for (y, (number, target)) in (0..).zip(targets.iter().enumerate().skip(top).take(height)) {
        let room = usize::from(area.width.saturating_sub(1));
        let row = line(state, target).cut(room, painter.symbols.ellipsis);
        list::line(state, painter, area, y, &row, at == Some(number));
    }
}

fn line(state: &State, target: &Target) -> Row {
    let symbols = state.look.symbols;
    let name = target.name.as_ref().map(ToString::to_string).unwrap_or_default();
    let role = hue(&name);
    let mut row = Row::of(cut::end(name, 14, symbols.ellipsis), role);
    row.tab(15);
    let Some(agent) = state.mirror().agent(target) else {
        return row.with("is gone", Role::Dim);
    };
    row.push(kind(agent), Role::Dim);
    row.tab(25);
    if agent.kind == MemberKind::Agent {
        let is = words::agent(state, agent);
        row.push(format!("{} {}", is.symbol, is.word), is.role);
        row.tab(43);
        row.space(1);
    }
    row.push(agent.role.clone().unwrap_or_default(), Role::Text);
    row
}

fn kind(agent: &Agent) -> &'static str {
    match agent.kind {
        MemberKind::Agent => "agent",
        MemberKind::Person => "person",
        MemberKind::External => "external",
        MemberKind::System => "system",
    }
}
