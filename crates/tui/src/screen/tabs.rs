//! The second line: what is shown, and its tabs.

use ratatui_core::layout::Rect;

use crate::model::layout::{self, Class};
use crate::{
    model::{
        State,
        place::{Subject, Tab},
        talks,
        words::talk_name,
    },
    paint::{Painter, Row},
    theme::Role,
};

/// Where each tab stands, in columns.
fn places(state: &State) -> Vec<(u16, u16, Tab, Row)> {
    let is_cut = |placed: &[(u16, u16, Tab, Row)]| {
        placed.last().is_some_and(|(_, to, ..)| *to > state.size.0)
    };
    let all = placed(state, |_| true, |_| true);
    if !is_cut(&all) {
        return all;
    }
    // Where not all have room, what is wanted least leaves it to the others.
    let says_much = |tab| !matches!(tab, Tab::Agents | Tab::Documents | Tab::Schedules);
    let fewer = placed(state, |_| true, says_much);
    if !is_cut(&fewer) {
        return fewer;
    }
    placed(state, |tab| tab != Tab::Prompt || state.place.tab == tab, says_much)
}

fn placed(
    state: &State,
    is_wanted: impl Fn(Tab) -> bool,
    is_counted: impl Fn(Tab) -> bool,
) -> Vec<(u16, u16, Tab, Row)> {
    let is_small = layout::class(state.size) == Class::Small;
    let mut x = 1 + u16::try_from(title(state).width()).unwrap_or(0) + 2;
    let mut places = Vec::new();
    let tabs = state.place.subject.tabs().iter().enumerate();
    for (number, tab) in tabs.filter(|(_, tab)| is_wanted(**tab)) {
        let is_shown = *tab == state.place.tab;
        let (long, short) = tab.label();
        let mut row = Row::of(if is_shown { "[" } else { " " }, Role::Title);
        let role = if is_shown { Role::Title } else { Role::Text };
        row.push(format!("{} {}", number + 1, if is_small { short } else { long }), role);
        if let Some((count, role)) = count(state, *tab).filter(|_| is_counted(*tab)) {
            row.push(" ", Role::Text);
            row.push(count, role);
        }
        row.push(if is_shown { "]" } else { " " }, Role::Title);
        let width = u16::try_from(row.width()).unwrap_or(0);
        places.push((x, x + width, *tab, row));
        x += width;
    }
    places
}

/// What the count of a tab says; nothing at zero.
fn count(state: &State, tab: Tab) -> Option<(String, Role)> {
    let plain = |count: usize| (count > 0).then(|| (count.to_string(), Role::Dim));
    match (tab, &state.place.subject) {
        (Tab::Channel | Tab::Messages, subject) => {
            let (scope, name) = subject.conversation()?;
            let unread = talks::unread(state.mirror().group(&scope, &name)?);
            let named = if tab == Tab::Channel { super::tree::named(state, &scope) } else { 0 };
            let is_small = layout::class(state.size) == Class::Small;
            match (unread, named) {
                (0, _) => None,
                (unread, 0) => Some((unread.to_string(), Role::Dim)),
                (_, named) if is_small => Some((format!("@{named}"), Role::Named)),
                (unread, named) => Some((format!("@{named} {unread}"), Role::Named)),
            }
        }
        (Tab::Agents, Subject::Workflow(scope)) => {
            plain(crate::model::tree::members(state, scope).len())
        }
        (Tab::Documents, Subject::Workflow(scope)) => {
            plain(state.mirror().documents_of(scope).count())
        }
        (Tab::Votes, Subject::Workflow(scope)) => plain(state.mirror().proposals_of(scope).count()),
        (Tab::Schedules, Subject::Workflow(scope)) => {
            plain(state.mirror().schedules_of(scope).count())
        }
        (Tab::Inbox, Subject::Agent(target)) => {
            let unread = state.mirror().agent(target)?.unread;
            plain(usize::try_from(unread).unwrap_or(0))
        }
        _ => None,
    }
}

fn title(state: &State) -> Row {
    let text = match &state.place.subject {
        Subject::All => "everything".to_owned(),
        Subject::Workflow(scope) => scope.key(),
        Subject::Agent(target) => target.to_string(),
        Subject::Talk(scope, name) => format!("{} {scope}", talk_name(name)),
    };
    let room = usize::from(state.size.0) * 2 / 5;
    Row::of(text, Role::Title).cut(room, state.look.symbols.ellipsis)
}

/// The tab in a column.
pub fn at(state: &State, x: u16) -> Option<Tab> {
    places(state)
        .into_iter()
        .find(|(from, to, ..)| (*from..*to).contains(&x))
        .map(|(_, _, tab, _)| tab)
}

/// Draws it.
pub fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) {
    if !state.has_picture() {
        return;
    }
    painter.row(area, 1, 0, &title(state));
    let note = crate::panes::note(state);
    let places = places(state);
    let own = places.iter().find(|(_, _, tab, _)| *tab == state.place.tab);
    // Which tab is shown matters more.
    let room = area.width.saturating_sub(own.map_or(0, |(_, to, ..)| *to));
    let note_width = u16::try_from(note.width() + 1).ok().filter(|width| *width <= room);
    let end = area.width.saturating_sub(note_width.unwrap_or(0));
    for (from, to, _, row) in &places {
        if *to <= end {
            painter.row(area, *from, 0, row);
        }
    }
    if note_width.is_some() {
        painter.row(area, end, 0, &note);
    }
}
