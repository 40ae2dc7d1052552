//! A conversation: who said what when, the unread line, what is on its way.

use agent_worker_client::text::numbers;
use agent_worker_protocol::{AgentState, Conversation, Scope, Timestamp};
use ratatui_core::layout::Rect;

use super::{
    item::Entry,
    pages::{self, Pages},
    thread::Thread,
};
use crate::{
    action::Action,
    model::{
        Focus, Model, Talk,
        known::talks::{Kinds, Mark, Side, View},
        layout, words,
    },
    paint::{Ink, Painter, Row},
    parts::flow::{self, Flow as _, Spot},
    theme::{Role, hue},
};

type Key = (Scope, Conversation);

pub fn draw(model: &Model, painter: &mut Painter<'_>, area: Rect) {
    let Some(key) = model.conversation() else { return };
    let Some(talk) = model.known.talks.get(&key) else {
        return painter.hint(area, 1, "loading");
    };
    let pages = Pages::new(model, talk);
    if pages.is_empty() {
        return painter.hint(area, 1, nothing(model, talk));
    }
    let height = usize::from(area.height);
    let room = height_of_flow(model, &key, talk, height);
    let spot = pages.place(room);
    let mut shown = rows_from(&pages, spot, room);
    let below = said_below(&pages, flow::below(&pages, spot, height));
    if let Some((below, (_, last))) = below.as_ref().zip(shown.last_mut()) {
        let left = usize::from(area.width).saturating_sub(below.width());
        *last = std::mem::take(last).cut(left, model.symbols().ellipsis);
    }
    // A short conversation stands at the bottom, where the next message comes.
    let first = room.saturating_sub(shown.len());
    let thread = Thread::of(&pages);
    for (y, (spot, row)) in (first..).zip(&shown) {
        let y = u16::try_from(y).unwrap_or(u16::MAX);
        painter.row(area, 0, y, row);
        let row = Rect { y: area.y + y, height: 1, ..area };
        beside(painter, row, &pages, *spot, &thread);
    }
    if model.selection.focus == Focus::Main
        && let Some(y) = selected_at(&pages, &shown)
    {
        let y = u16::try_from(first + y).unwrap_or(u16::MAX);
        painter.text(area, 5, y, &Ink::from(model.symbols().selected), Role::Accent);
    }
    if room < height
        && let Some(row) = working(model, &key)
    {
        painter.row(area, 0, area.height.saturating_sub(1), &row);
    }
    if let Some(row) = &below {
        let x = area.width.saturating_sub(u16::try_from(row.width()).unwrap_or(0));
        painter.row(area, x, area.height.saturating_sub(1), row);
    }
    if matches!(talk.loading, Some(Side::Before(_))) && spot == Spot::default() {
        let row = Row::of(model.symbols().running, Role::Running).with(" loading older", Role::Dim);
        painter.clear(Rect { height: 1, ..area });
        painter.row(area, 0, 0, &row);
    }
}

/// The margin of a row, and whether it is selected with others.
fn beside(painter: &mut Painter<'_>, area: Rect, pages: &Pages<'_>, spot: Spot, thread: &Thread) {
    let Spot { item, line } = spot;
    let Some(row) = line.checked_sub(pages.rules_above(item)) else { return };
    if let Some((symbol, role)) = thread.margin(pages, item, row) {
        let x = u16::try_from(pages::indent(pages.model) - 1).unwrap_or(u16::MAX);
        painter.text(area, x, 0, &Ink::from(symbol), role);
    }
    if pages.get(item).is_some_and(|entry| pages.talk.is_among_selected(entry.mark())) {
        painter.tint(area, Role::Selected);
    }
}

/// What stands in a row of the pane.
pub fn line_at(model: &Model, key: &Key, talk: &Talk, row: usize) -> Option<Mark> {
    let room = height_of_flow(model, key, talk, layout::channel_height(model));
    let pages = Pages::new(model, talk);
    let shown = rows_from(&pages, pages.place(room), room);
    let at = row.checked_sub(room.saturating_sub(shown.len()))?;
    pages.get(shown.get(at)?.0.item).map(Entry::mark)
}

/// Rows that messages have: the last one is for who is at work, while the view follows.
pub fn height_of_flow(model: &Model, key: &Key, talk: &Talk, height: usize) -> usize {
    let has_line = talk.view == View::Following && working(model, key).is_some();
    height.saturating_sub(usize::from(has_line))
}

fn nothing(model: &Model, talk: &Talk) -> String {
    let (write, rest) = (model.pane_key(Action::Write), model.pane_key(Action::Filter));
    match talk.kinds {
        _ if !talk.is_loaded => "loading".to_owned(),
        Kinds::All => format!("nothing was said here yet: {write} writes"),
        Kinds::Said => format!("no messages: {rest} shows the rest"),
        Kinds::Happened => format!("nothing has happened: {rest} shows the rest"),
    }
}

/// The rows of a window, each with its item and its place there.
fn rows_from(pages: &Pages<'_>, spot: Spot, height: usize) -> Vec<(Spot, Row)> {
    let spots = (spot.item..pages.len())
        .flat_map(|item| (0..pages.height(item)).map(move |line| Spot { item, line }));
    let shown = spots.skip(spot.line).take(height);
    shown.map(|spot| (spot, pages.rows(spot.item)[spot.line].clone())).collect()
}

/// In which row of the window the selected line begins.
fn selected_at(pages: &Pages<'_>, shown: &[(Spot, Row)]) -> Option<usize> {
    let item = pages.index(pages.talk.selected?)?;
    let rules = pages.rules_above(item);
    shown.iter().position(|(spot, _)| spot.item == item && spot.line >= rules)
}

/// What the last row of the window says of the messages below it; none while it follows them.
fn said_below(pages: &Pages<'_>, items: usize) -> Option<Row> {
    if pages.talk.view == View::Following {
        return None;
    }
    let last = pages.model.pane_key(Action::Last);
    Some(match below(pages, items)? {
        (0, _) => Row::of(format!(" {last} newest "), Role::Dim),
        (new, 0) => Row::of(format!(" {new} below, {last} "), Role::Selected),
        (new, named) => Row::of(format!(" @{named} of {new} below, {last} "), Role::Selected),
    })
}

/// How many messages below the window have come since it left the end, and how many of them name
/// the person; none if nothing is below it.
fn below(pages: &Pages<'_>, items: usize) -> Option<(usize, usize)> {
    let Talk { has_newer, arrived, .. } = pages.talk;
    if *has_newer {
        return Some(*arrived);
    }
    (items > 0).then(|| pages.newest_of_last(items, arrived.0))
}

/// The line that says who is at work here, where no strip below the text does.
fn working(model: &Model, (scope, name): &Key) -> Option<Row> {
    if layout::regions(model).strip.is_some() {
        return None;
    }
    let members = model.mirror().agents_of(scope).filter(|agent| match name {
        Conversation::Channel => true,
        Conversation::Direct(one, other) => [one, other].contains(&&agent.name),
        Conversation::Group(_) => {
            let group = model.mirror().group(scope, name);
            group.is_some_and(|group| group.members.contains(&agent.name))
        }
    });
    let working: Vec<_> = members.filter(|agent| agent.state == AgentState::Running).collect();
    let first = working.first()?;
    let is = words::agent(model, first);
    let mut row = Row::of(model.zone().clock(model.shown_at()), Role::Dim).pad(1);
    if let [only] = working.as_slice() {
        row.push(only.name.to_string(), hue(only.name.as_str()));
        row.put(pages::indent(model), is.symbol, is.role);
        let run = model.mirror().live_run(&only.target);
        let now = model.shown_at();
        let lasts = run.map(|run| now.since(run.started_at)).unwrap_or_default();
        let is_silent = is.word.starts_with("silent");
        let is_verb = is.word.ends_with("ing") || is_silent;
        let does = if is_verb { is.word.clone() } else { format!("at work: {}", is.word) };
        let words = if model.is_live() {
            let at_work = if is_silent { "at work for " } else { "" };
            format!(" is {does}, {at_work}{}", numbers::elapsed(lasts))
        } else {
            let at = model.zone().clock_seconds(Timestamp(model.connection.as_of));
            format!(" was {does} at {at}")
        };
        row.push(words, Role::Dim);
    } else {
        row.push(is.symbol, is.role);
        let names: Vec<_> = working.iter().map(|agent| agent.name.to_string()).collect();
        let verb = if model.is_live() { "are" } else { "were" };
        row.push(format!(" {} {verb} working", names.join(", ")), Role::Dim);
    }
    Some(row.cut(layout::channel_width(model), model.symbols().ellipsis))
}
