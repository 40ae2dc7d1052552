//! Where the tabs stand, and what stands behind their names.

use super::App;
use crate::{
    model::{
        Model, Subject, Tab,
        layout::{self, Class},
        words::talk_name,
    },
    paint::Row,
    parts::table,
    theme::Role,
};

/// The columns in which a tab begins and ends, the tab, and what stands there.
type Places = Vec<(u16, u16, Tab, Row)>;

/// The tabs in columns up to this one.
fn fitted(app: &App, end: u16) -> Places {
    let fits = |placed: &Places| placed.last().is_none_or(|(_, to, ..)| *to <= end);
    let count = app.model.place.subject.tabs().len();
    let all = placed(app, count, |_| true);
    if fits(&all) {
        return all;
    }
    // Where not all have room, what is wanted least leaves it to the others: counts, then names.
    let says_much = |tab| !matches!(tab, Tab::Agents | Tab::Documents | Tab::Schedules);
    let mut fewer = (0..=count).rev().map(|named| placed(app, named, says_much));
    fewer.find(fits).unwrap_or_else(|| {
        let mut places = placed(app, 0, says_much);
        scroll(&mut places, app.model.place.tab, end);
        places
    })
}

/// The tabs that stand there with the note at the right, and that note with its column, if it has
/// room.
pub fn shown(app: &App) -> (Places, Option<(u16, Row)>) {
    let model = &app.model;
    let width = model.display.size.0;
    let mut note = table::note(model);
    note.append(app.pane().note(model));
    // A blank stands behind a note.
    let room = if note.spans.is_empty() { 0 } else { note.width() + 1 };
    let beside = width.saturating_sub(u16::try_from(room).unwrap_or(u16::MAX));
    let tabs = model.place.subject.tabs();
    // The mark of the shown tab has no blank behind it, as the others have.
    let is_marked_last = room > 0 && tabs.last() == Some(&model.place.tab);
    let edge = beside.saturating_sub(u16::from(is_marked_last));
    let mut places = fitted(app, edge);
    // That each tab is shown matters more than the note.
    let is_whole = places.len() == tabs.len();
    let has_room = is_whole && places.last().is_none_or(|(_, to, ..)| *to <= edge);
    if !has_room {
        places = fitted(app, width);
    }
    let end = if has_room { beside } else { width };
    places.retain(|(_, to, ..)| *to <= end);
    (places, has_room.then_some((end, note)))
}

/// Leaves out tabs on the left until the shown one has room.
fn scroll(places: &mut Places, own: Tab, width: u16) {
    let Some(at) = places.iter().position(|(_, _, tab, _)| *tab == own) else { return };
    let (left, over) = (places[0].0, places[at].1.saturating_sub(width));
    let first = places[..at].iter().position(|(from, ..)| from - left >= over).unwrap_or(at);
    let by = places[first].0 - left;
    places.drain(..first);
    for (from, to, ..) in places {
        (*from, *to) = (*from - by, *to - by);
    }
}

/// The tabs one beside the other: the first ones and the shown one with their names, the others
/// with their numbers alone.
fn placed(app: &App, named: usize, is_counted: impl Fn(Tab) -> bool) -> Places {
    let model = &app.model;
    let is_small = layout::class(model.display.size) == Class::Small;
    let mut x = 1 + u16::try_from(title(model).width()).unwrap_or(0) + 2;
    let mut places = Vec::new();
    for (number, tab) in model.place.subject.tabs().iter().enumerate() {
        let is_shown = *tab == model.place.tab;
        let is_named = is_shown || number < named;
        let (long, short) = tab.label();
        let mut row = Row::of(if is_shown { "[" } else { " " }, Role::Title);
        let role = if is_shown { Role::Title } else { Role::Text };
        row.push((number + 1).to_string(), role);
        if is_named {
            row.push(format!(" {}", if is_small { short } else { long }), role);
        }
        let count = app.panes.of(*tab).count(model, *tab);
        if let Some((count, role)) = count.filter(|_| is_named && is_counted(*tab)) {
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

/// What the tabs are of.
pub fn title(model: &Model) -> Row {
    let text = match &model.place.subject {
        Subject::All => "everything".to_owned(),
        Subject::Workflow(scope) => scope.key(),
        Subject::Agent(target) => target.to_string(),
        Subject::Talk(scope, name) => format!("{} {scope}", talk_name(name)),
    };
    let room = usize::from(model.display.size.0) * 2 / 5;
    Row::of(text, Role::Title).cut(room, model.symbols().ellipsis)
}

/// The tab in a column.
pub fn at(app: &App, x: u16) -> Option<Tab> {
    let mut places = shown(app).0.into_iter();
    places.find_map(|(from, to, tab, _)| (from..to).contains(&x).then_some(tab))
}
