//! Search in a pane that has lines: `/` asks for a text, `n` and `N` go from line to line.
//!
//! Conversations are searched by the daemon, see [`crate::panes::conversation`].

use crate::model::place::Tab;
use crate::panes::{
    agents, documents, events, inbox, info, members, proposals, run, runs, schedules,
};
use crate::{
    model::{State, requests::Effect},
    paint::Row,
    text::found::{holds, marked},
};

/// The text that is searched for in the shown pane; empty if none is.
pub fn wanted(state: &State) -> &str {
    state.panes.wanted.get(&state.place.tab).map_or("", String::as_str)
}

/// Returns the row with every match told apart.
pub fn mark(state: &State, row: Row) -> Row {
    match wanted(state) {
        "" => row,
        wanted => marked(row, wanted),
    }
}

/// Ends the search of the shown pane; false if there is none.
pub fn clear(state: &mut State) -> bool {
    state.panes.wanted.remove(&state.place.tab).is_some()
}

/// Searches for a text, from the selected line on.
pub fn find(state: &mut State, text: &str) -> Vec<Effect> {
    state.panes.wanted.insert(state.place.tab, text.to_owned());
    seek(state, false, true)
}

/// Goes to the next or the previous match.
pub fn next(state: &mut State, back: bool) -> Vec<Effect> {
    if wanted(state).is_empty() {
        state.tell("nothing is searched for: / searches");
        return Vec::new();
    }
    seek(state, back, false)
}

/// Goes to the nearest line that matches, around the ends. The selected line counts only when a
/// search begins.
fn seek(state: &mut State, back: bool, with_own: bool) -> Vec<Effect> {
    let (lines, at) = lines(state);
    let text = wanted(state).to_owned();
    let count = lines.len();
    let hits: Vec<usize> = (0..count).filter(|line| holds(&lines[*line], &text)).collect();
    let to = match at {
        None if back => hits.last(),
        None => hits.first(),
        Some(at) if back => hits.iter().rev().find(|hit| **hit < at).or(hits.last()),
        Some(at) => {
            let is_next = |hit: &&usize| **hit > at || (with_own && **hit == at);
            hits.iter().find(is_next).or(hits.first())
        }
    };
    let Some(to) = to.copied() else {
        state.tell(format!("no match for {text} in {count} lines"));
        return Vec::new();
    };
    let number = hits.iter().position(|hit| *hit == to).unwrap_or(0) + 1;
    let effects = pick(state, to);
    state.tell(format!("match {number} of {} for {text}: n and N go on, Esc ends it", hits.len()));
    effects
}

/// The lines of the shown pane as they are searched, and which one is selected.
fn lines(state: &State) -> (Vec<String>, Option<usize>) {
    match state.place.tab {
        Tab::Channel | Tab::Messages => (Vec::new(), None),
        Tab::Agents => agents::lines(state),
        Tab::Documents => documents::lines(state),
        Tab::Votes => proposals::lines(state),
        Tab::Schedules => schedules::lines(state),
        Tab::Events => events::lines(state),
        Tab::Runs | Tab::History => runs::lines(state),
        Tab::Run | Tab::Prompt => run::lines(state),
        Tab::Inbox | Tab::Queue => inbox::lines(state),
        Tab::Info => info::lines(state),
        Tab::Members => members::lines(state),
    }
}

/// Selects a line of the shown pane.
fn pick(state: &mut State, at: usize) -> Vec<Effect> {
    match state.place.tab {
        Tab::Channel | Tab::Messages => Vec::new(),
        Tab::Agents => agents::pick_line(state, at),
        Tab::Documents => documents::pick_line(state, at),
        Tab::Votes => proposals::pick_line(state, at),
        Tab::Schedules => schedules::pick_line(state, at),
        Tab::Events => events::pick_line(state, at),
        Tab::Runs | Tab::History => runs::pick_line(state, at),
        Tab::Run | Tab::Prompt => run::pick_line(state, at),
        Tab::Inbox | Tab::Queue => inbox::pick_line(state, at),
        Tab::Info => info::pick_line(state, at),
        Tab::Members => members::pick_line(state, at),
    }
}
