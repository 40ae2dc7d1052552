//! From place to place.

use agent_worker_protocol::target::Target;

use crate::model::{
    Focus, State,
    place::{Place, Subject, Tab},
    requests::Effect,
    tree::{self, NavId},
};

/// How many places are remembered.
const TRAIL: usize = 100;

/// Shows a place, with its line of the tree selected.
pub fn go(state: &mut State, place: Place) -> Vec<Effect> {
    if let Some(line) = line_of(state, &place) {
        unfold(state, &line);
        state.nav.selected = line;
    }
    show(state, place)
}

/// Shows a place, whatever is selected in the tree.
pub fn show(state: &mut State, place: Place) -> Vec<Effect> {
    if state.place == place {
        return crate::panes::shown(state);
    }
    let mut effects = crate::panes::left(state);
    let before = std::mem::replace(&mut state.place, place);
    state.tabs.insert(state.place.subject.clone(), state.place.tab);
    state.trail.0.push(before);
    state.trail.1.clear();
    if state.trail.0.len() > TRAIL {
        state.trail.0.remove(0);
    }
    effects.extend(crate::panes::shown(state));
    effects
}

/// Back, or forward again.
pub fn walk(state: &mut State, back: bool) -> Vec<Effect> {
    let (from, to) = if back {
        (&mut state.trail.0, &mut state.trail.1)
    } else {
        (&mut state.trail.1, &mut state.trail.0)
    };
    let Some(place) = from.pop() else {
        state.tell(if back { "nothing before this" } else { "nothing after this" });
        return Vec::new();
    };
    to.push(state.place.clone());
    let trail = std::mem::take(&mut state.trail);
    let effects = go(state, place);
    state.trail = trail;
    effects
}

/// Another tab of the subject.
pub fn tab(state: &mut State, tab: Tab) -> Vec<Effect> {
    state.focus = Focus::Main;
    let place = Place::at(state.place.subject.clone(), tab);
    let effects = show(state, place);
    if let NavId::Channel(scope) | NavId::Workflow(scope) = state.nav.selected.clone() {
        let line = if tab == Tab::Channel { NavId::Channel(scope) } else { NavId::Workflow(scope) };
        if tree::lines(state).contains(&line) {
            state.nav.selected = line;
        }
    }
    effects
}

/// The tab before or after this one, around the end.
pub fn next_tab(state: &mut State, back: bool) -> Vec<Effect> {
    let tabs = state.place.subject.tabs();
    let at = tabs.iter().position(|tab| *tab == state.place.tab).unwrap_or(0);
    let to = if back { (at + tabs.len() - 1) % tabs.len() } else { (at + 1) % tabs.len() };
    tab(state, tabs[to])
}

/// Selects a line of the tree and shows what it stands for.
pub fn select(state: &mut State, line: NavId) -> Vec<Effect> {
    let place = line.place(state);
    state.nav.was_at = tree::lines(state).iter().position(|known| *known == line).unwrap_or(0);
    state.nav.selected = line.clone();
    let Some(mut place) = place else { return Vec::new() };
    if let Some((scope, id)) =
        crate::model::tree::proposal_of(state, &line).map(|one| (one.scope.clone(), one.id))
    {
        crate::panes::proposals::pick(state, &scope, id);
    }
    if matches!(line, NavId::Workflow(_) | NavId::Agent(_) | NavId::All | NavId::Talk(..))
        && let Some(tab) = state.tabs.get(&place.subject)
    {
        place.tab = *tab;
    }
    show(state, place)
}

/// Moves the selection of the tree by so many lines that can be selected.
pub fn step(state: &mut State, by: isize) -> Vec<Effect> {
    let lines: Vec<NavId> = tree::lines(state).into_iter().filter(NavId::is_open).collect();
    let at = lines.iter().position(|line| *line == state.nav.selected).unwrap_or(0);
    let to = at.saturating_add_signed(by).min(lines.len().saturating_sub(1));
    match lines.get(to) {
        Some(line) => select(state, line.clone()),
        None => Vec::new(),
    }
}

/// Lines have changed. If the selected one went away, the one that took its place is selected.
pub fn settle(state: &mut State) -> Vec<Effect> {
    tree::note_at_work(state);
    let (lines, at) = tree::position(state);
    if let Some(at) = at {
        state.nav.was_at = at;
        return Vec::new();
    }
    let from = state.nav.was_at.min(lines.len().saturating_sub(1));
    let before = lines[..=from.min(lines.len().saturating_sub(1))].iter().rev();
    let next = lines.iter().skip(from).chain(before).find(|line| line.is_open());
    let is_need = matches!(state.nav.selected, NavId::Need(..));
    match next.cloned() {
        // What needed the person is settled, and the person is still looking at it.
        Some(_) if is_need && exists(state, &state.place.subject) => {
            if let Some(line) = line_of(state, &state.place.clone()) {
                state.nav.selected = line;
            }
            Vec::new()
        }
        Some(line) => select(state, line),
        None => Vec::new(),
    }
}

/// Whether a subject is still there.
pub fn exists(state: &State, subject: &Subject) -> bool {
    match subject {
        Subject::All => true,
        Subject::Workflow(scope) => state.mirror().workflow(scope).is_some(),
        Subject::Agent(target) => state.mirror().agent(target).is_some(),
        Subject::Talk(scope, talk) => state.mirror().group(scope, talk).is_some(),
    }
}

/// The line of the tree that stands for a place.
fn line_of(state: &State, place: &Place) -> Option<NavId> {
    let line = match &place.subject {
        Subject::All => NavId::All,
        Subject::Workflow(scope) if place.tab == Tab::Channel => NavId::Channel(scope.clone()),
        Subject::Workflow(scope) => NavId::Workflow(scope.clone()),
        Subject::Agent(target) => NavId::Agent(target.clone()),
        Subject::Talk(scope, talk) => NavId::Talk(scope.clone(), talk.clone()),
    };
    exists(state, &place.subject).then_some(line)
}

/// Unfolds what hides a line.
fn unfold(state: &mut State, line: &NavId) {
    if let (NavId::Agent(_) | NavId::Channel(_), Some(scope)) = (line, line.scope()) {
        state.nav.folded.remove(scope);
        state.nav.unfolded.insert(scope.clone());
    }
}

/// The next thing that needs the person, from anywhere.
pub fn next_need(state: &mut State, back: bool) -> Vec<Effect> {
    let needs: Vec<NavId> =
        tree::lines(state).into_iter().filter(|line| matches!(line, NavId::Need(..))).collect();
    if needs.is_empty() {
        state.tell("nothing needs you");
        return Vec::new();
    }
    let at = needs.iter().position(|need| *need == state.nav.selected);
    let to = match (at, back) {
        (None, false) => 0,
        (None, true) => needs.len() - 1,
        (Some(at), false) => (at + 1) % needs.len(),
        (Some(at), true) => (at + needs.len() - 1) % needs.len(),
    };
    state.focus = Focus::Main;
    select(state, needs[to].clone())
}

/// The next conversation with unread messages, those that name the person first.
pub fn next_unread(state: &mut State, back: bool) -> Vec<Effect> {
    let mut unread: Vec<NavId> = state
        .mirror()
        .groups()
        .filter(|group| crate::model::talks::unread(group) > 0)
        .map(|group| match &group.name {
            agent_worker_protocol::conversation::Conversation::Channel => {
                NavId::Channel(group.scope.clone())
            }
            name => NavId::Talk(group.scope.clone(), name.clone()),
        })
        .collect();
    if unread.is_empty() {
        state.tell("everything is read");
        return Vec::new();
    }
    if back {
        unread.reverse();
    }
    let at = unread.iter().position(|line| *line == state.nav.selected);
    let line = unread[at.map_or(0, |at| (at + 1) % unread.len())].clone();
    let place = line.place(state);
    state.focus = Focus::Main;
    match place {
        Some(place) => go(state, place),
        None => Vec::new(),
    }
}

/// Shows an agent's tab.
pub fn agent(state: &mut State, target: Target, tab: Tab) -> Vec<Effect> {
    go(state, Place::at(Subject::Agent(target), tab))
}
