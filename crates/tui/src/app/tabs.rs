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

/// Where each tab stands, in columns.
pub fn places(app: &App) -> Places {
    let model = &app.model;
    let is_cut = |placed: &[(u16, u16, Tab, Row)]| {
        placed.last().is_some_and(|(_, to, ..)| *to > model.display.size.0)
    };
    let all = placed(app, |_| true, |_| true);
    if !is_cut(&all) {
        return all;
    }
    // Where not all have room, what is wanted least leaves it to the others.
    let says_much = |tab| !matches!(tab, Tab::Agents | Tab::Documents | Tab::Schedules);
    let fewer = placed(app, |_| true, says_much);
    if !is_cut(&fewer) {
        return fewer;
    }
    let own = model.place.tab;
    let mut places = placed(app, |tab| tab != Tab::Prompt || own == tab, says_much);
    scroll(&mut places, own, model.display.size.0);
    places
}

/// The tabs that stand there with the note at the right, and that note with its column, if it has
/// room.
pub fn shown(app: &App) -> (Places, Option<(u16, Row)>) {
    let model = &app.model;
    let width = model.display.size.0;
    let mut note = table::note(model);
    note.append(app.pane().note(model));
    let mut places = places(app);
    let own = places.iter().find(|(_, _, tab, _)| *tab == model.place.tab);
    // Which tab is shown matters more.
    let room = width.saturating_sub(own.map_or(0, |(_, to, ..)| *to));
    let note_width = u16::try_from(note.width() + 1).ok().filter(|width| *width <= room);
    let end = width.saturating_sub(note_width.unwrap_or(0));
    places.retain(|(_, to, ..)| *to <= end);
    (places, note_width.map(|_| (end, note)))
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

fn placed(app: &App, is_wanted: impl Fn(Tab) -> bool, is_counted: impl Fn(Tab) -> bool) -> Places {
    let model = &app.model;
    let is_small = layout::class(model.display.size) == Class::Small;
    let mut x = 1 + u16::try_from(title(model).width()).unwrap_or(0) + 2;
    let mut places = Vec::new();
    let tabs = model.place.subject.tabs().iter().enumerate();
    for (number, tab) in tabs.filter(|(_, tab)| is_wanted(**tab)) {
        let is_shown = *tab == model.place.tab;
        let (long, short) = tab.label();
        let mut row = Row::of(if is_shown { "[" } else { " " }, Role::Title);
        let role = if is_shown { Role::Title } else { Role::Text };
        row.push(format!("{} {}", number + 1, if is_small { short } else { long }), role);
        if let Some((count, role)) =
            app.panes.of(*tab).count(model, *tab).filter(|_| is_counted(*tab))
        {
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
    shown(app)
        .0
        .into_iter()
        .find(|(from, to, ..)| (*from..*to).contains(&x))
        .map(|(_, _, tab, _)| tab)
}
