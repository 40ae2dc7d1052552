//! The keys of a transcript.

use agent_worker_protocol::{id::RunId, target::Target};

use super::{
    column::Column,
    frame, screen,
    transcript::{Item, Look, Pane, View},
};
use crate::{
    action::Action,
    app::{act::to_message, go, search},
    model::{
        State,
        place::{Place, Subject, Tab},
        requests::Effect,
    },
    overlays::{self, Overlay},
    panes::runs,
    parts::flow::{self, Flow as _, Spot},
    text::found::holds,
};

/// What an action does; none if it is nothing here.
pub fn act(state: &mut State, pane: Pane, action: Action) -> Option<Vec<Effect>> {
    let rows = isize::try_from(frame::height(state, pane)).unwrap_or(1).max(1);
    match action {
        Action::Down => scroll(state, pane, 1),
        Action::Up => scroll(state, pane, -1),
        Action::HalfDown => scroll(state, pane, rows / 2),
        Action::HalfUp => scroll(state, pane, -rows / 2),
        Action::PageDown => scroll(state, pane, rows),
        Action::PageUp => scroll(state, pane, -rows),
        Action::NextItem => step(state, pane, 1),
        Action::PreviousItem => step(state, pane, -1),
        Action::First => to_start(state, pane),
        Action::Last => to_end(state, pane),
        Action::Open => fold(state, pane),
        Action::Pager => return Some(pager(state, pane)),
        Action::Copy if pane == Pane::Dock => {
            return Some(copied(state, pane).map(Effect::Copy).into_iter().collect());
        }
        Action::Thinking => toggle_thinking(state),
        Action::Cause => return Some(cause(state, pane)),
        Action::Older if pane != Pane::Dock => return Some(walk(state, 1)),
        Action::Newer if pane != Pane::Dock => return Some(walk(state, -1)),
        _ => return None,
    }
    Some(Vec::new())
}

/// What is looked at, changed by how it is on the screen now.
fn change(
    state: &mut State,
    pane: Pane,
    change: impl FnOnce(&Column<'_>, usize, &mut Look),
) -> Option<()> {
    let id = screen::shown(state, pane)?;
    let height = frame::height(state, pane);
    let mut look = state.panes.run.get(id)?.look(pane).clone();
    let column = frame::column(state, pane)?;
    if column.is_empty() {
        return None;
    }
    change(&column, height, &mut look);
    *state.panes.run.of.get_mut(&id)?.look_mut(pane) = look;
    Some(())
}

fn scroll(state: &mut State, pane: Pane, rows: isize) {
    change(state, pane, |column, height, look| {
        let spot = flow::scrolled(column, column.place(height), rows, height);
        look.view = column.view(spot, height);
    });
}

fn to_start(state: &mut State, pane: Pane) {
    change(state, pane, |column, height, look| {
        look.view = column.view(Spot::default(), height);
        look.selected = None;
    });
}

fn to_end(state: &mut State, pane: Pane) {
    change(state, pane, |column, height, look| {
        look.view = match pane {
            Pane::Prompt => column.view(flow::end(column, height), height),
            Pane::Main | Pane::Dock => View::Following,
        };
        look.selected = None;
    });
}

/// Selects the entry before or after the selected one, and keeps it on the screen.
fn step(state: &mut State, pane: Pane, by: isize) {
    change(state, pane, |column, height, look| {
        let last = column.len() - 1;
        let at = column.selected();
        if at == Some(last) && by > 0 {
            look.selected = None;
            look.view = View::Following;
            return;
        }
        let to = match at {
            Some(at) => at.saturating_add_signed(by).min(last),
            None => here(column, height),
        };
        look.selected = column.item(to).map(|item| column.transcript.key(item));
        let spot = flow::with(column, column.place(height), to, height);
        look.view = column.view(spot, height);
    });
}

/// The entry that is meant if none is selected: the last on the screen.
fn here(column: &Column<'_>, height: usize) -> usize {
    flow::last_visible(column, column.place(height), height)
}

fn fold(state: &mut State, pane: Pane) {
    let folded = change(state, pane, |column, height, look| {
        let at = column.selected().unwrap_or_else(|| here(column, height));
        let Some(item) = column.item(at) else { return };
        let n = column.transcript.key(item);
        look.folds.insert(n, !column.is_open(at));
        look.selected = Some(n);
    });
    if folded.is_none() {
        return;
    }
    // What was folded stays on the screen, whatever is below it now.
    change(state, pane, |column, height, look| {
        let Some(at) = column.selected() else { return };
        let spot = column.place(height);
        if at < spot.item || (at == spot.item && spot.line > 0) {
            look.view = column.view(flow::with(column, spot, at, height), height);
        }
    });
}

/// Selects the entry in a row of the column.
pub fn click(state: &mut State, pane: Pane, row: usize) {
    change(state, pane, |column, height, look| {
        let shown = column.window(column.place(height), height);
        let item = shown.get(row).and_then(|(spot, _)| column.item(spot.item));
        look.selected = item.map(|item| column.transcript.key(item));
    });
}

/// The whole text of each entry, and the selected one.
pub fn lines(state: &State, pane: Pane) -> (Vec<String>, Option<usize>) {
    let Some(column) = frame::column(state, pane) else { return (Vec::new(), None) };
    let line = |at| format!("{} {}", column.title(at).as_str(), column.text(at));
    ((0..column.len()).map(line).collect(), column.selected())
}

/// Selects and opens an entry, with the first row that matches what is searched for on the screen.
pub fn pick_line(state: &mut State, pane: Pane, at: usize) {
    change(state, pane, |column, _, look| {
        let Some(item) = column.item(at) else { return };
        let n = column.transcript.key(item);
        look.folds.insert(n, true);
        look.selected = Some(n);
    });
    let wanted = search::wanted(state).to_owned();
    change(state, pane, |column, height, look| {
        let rows = column.rows(at, 0..column.height(at));
        let line = rows.iter().position(|row| holds(&row.text(), &wanted)).unwrap_or(0);
        let spot = Spot { item: at, line: line.saturating_sub(height / 3) };
        look.view = column.view(spot.min(flow::end(column, height)), height);
    });
}

fn toggle_thinking(state: &mut State) {
    let is_hidden = !state.panes.run.hides_thinking;
    state.panes.run.hides_thinking = is_hidden;
    state.tell(if is_hidden { "thinking is hidden" } else { "thinking is shown" });
}

fn meant(state: &State, pane: Pane) -> Option<(Column<'_>, usize)> {
    let height = frame::height(state, pane);
    let column = frame::column(state, pane)?;
    if column.is_empty() {
        return None;
    }
    let at = column.selected().unwrap_or_else(|| here(&column, height));
    Some((column, at))
}

/// The text that is copied.
pub fn copied(state: &State, pane: Pane) -> Option<String> {
    let (column, at) = meant(state, pane)?;
    Some(column.text(at))
}

fn pager(state: &mut State, pane: Pane) -> Vec<Effect> {
    let opened = meant(state, pane).map(|(column, at)| {
        let run = column.run.map(|run| run.id.to_string()).unwrap_or_default();
        let tool = match column.item(at) {
            Some(Item::Tool { call, result, .. }) => {
                let block = call.or(result).map(|index| &column.transcript.blocks[index]);
                block.and_then(|block| block.name.clone()).map(|name| format!(" {name}"))
            }
            _ => None,
        };
        let title = format!("{}{} of {run}", column.title(at).as_str(), tool.unwrap_or_default());
        Overlay::pager(title, &column.text(at))
    });
    match opened {
        Some(Overlay::Pager(pager)) => {
            let pager = pager.finding(state, search::wanted(state));
            overlays::open(state, Overlay::Pager(pager))
        }
        Some(other) => overlays::open(state, other),
        None => Vec::new(),
    }
}

/// Goes to the message that woke the run.
fn cause(state: &mut State, pane: Pane) -> Vec<Effect> {
    let run = screen::shown(state, pane).and_then(|id| screen::run(state, id));
    let Some(run) = run else { return Vec::new() };
    let (scope, cause) = (run.scope.clone(), run.cause);
    if let Some(message) = cause {
        return to_message(state, &scope, message);
    }
    state.tell("no message woke it");
    Vec::new()
}

/// Shows an older or a newer run of the same agent.
fn walk(state: &mut State, older: isize) -> Vec<Effect> {
    let Some(target) = screen::agent(state).cloned() else { return Vec::new() };
    let known: Vec<RunId> = runs::known(state, &target).iter().map(|run| run.id).collect();
    let shown = screen::of(state, &target);
    let at = shown.and_then(|shown| known.iter().position(|id| *id == shown)).unwrap_or(0);
    let to = at.checked_add_signed(older).filter(|to| *to < known.len());
    match to {
        Some(to) => {
            choose(state, &target, known[to]);
            let near_the_end = to + 2 > known.len() && older > 0;
            if near_the_end { runs::more(state, Some(&target)) } else { Vec::new() }
        }
        None if older < 0 => {
            state.tell("this is the newest run");
            Vec::new()
        }
        None => {
            let effects = runs::more(state, Some(&target));
            let words = if effects.is_empty() {
                "there is no older run"
            } else {
                "older runs are on their way"
            };
            state.tell(words);
            effects
        }
    }
}

/// Has an agent's tab show this run. The newest is shown until there is a newer one.
pub fn choose(state: &mut State, target: &Target, run: RunId) {
    if screen::newest(state, target) == Some(run) {
        state.panes.run.chosen.remove(target);
    } else {
        state.panes.run.chosen.insert(target.clone(), run);
    }
}

/// Shows a run's transcript.
pub fn open(state: &mut State, target: &Target, run: RunId) -> Vec<Effect> {
    choose(state, target, run);
    let effects = go::go(state, Place::at(Subject::Agent(target.clone()), Tab::Run));
    state.focus = crate::model::Focus::Main;
    effects
}
