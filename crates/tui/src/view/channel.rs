//! A conversation: who said what when, the unread line, what is on its way.

use std::{cell::RefCell, rc::Rc};

use agent_worker_client::Clean;
use agent_worker_protocol::{
    agent::MemberKind,
    channel::{Message, MessageType},
    time::Timestamp,
};
use ratatui_core::layout::Rect;

use super::{
    flow::{self, Flow, Spot},
    layout,
};
use crate::{
    paint::{Ink, Painter, Row},
    state::{
        Focus, State,
        talk::{Side, Talk, View},
        words,
    },
    text::{
        cut,
        mentions::{self, Reached},
        numbers::elapsed,
    },
    theme::{Role, hue},
};

/// Lines of a long message that are shown before it is unfolded, and how long a long one is.
const FOLDED: usize = 10;
const LONG: usize = 12;

/// The same author's next message within this time repeats neither time nor name, ms.
const TOGETHER: i64 = 60_000;

/// Messages as rows, laid out when they are looked at.
pub struct Pages<'a> {
    state: &'a State,
    talk: &'a Talk,
    width: usize,
    rows: RefCell<Vec<Option<Rc<Vec<Row>>>>>,
}

impl<'a> Pages<'a> {
    /// The messages of a conversation, as wide as they are on the screen.
    pub fn new(state: &'a State, talk: &'a Talk) -> Self {
        let rows = RefCell::new(vec![None; talk.messages.len()]);
        Self { state, talk, width: layout::channel_width(state), rows }
    }

    /// Where the window stands.
    pub fn place(&self, height: usize) -> Spot {
        let end = flow::end(self, height);
        match self.talk.view {
            View::Following => end,
            View::At { seq, line } => {
                let item = self.talk.messages.partition_point(|message| message.seq < seq);
                if item >= self.talk.messages.len() {
                    return end;
                }
                Spot { item, line: line.min(self.height(item) - 1) }.min(end)
            }
        }
    }

    /// The same as it is kept: at the end of what there is, the window follows.
    pub fn view(&self, spot: Spot, height: usize) -> View {
        if spot >= flow::end(self, height) && !self.talk.has_newer {
            return View::Following;
        }
        let seq = self.talk.messages.get(spot.item).map_or(0, |message| message.seq);
        View::At { seq, line: spot.line }
    }

    /// The rows of a message, with the lines that stand above it.
    pub fn rows(&self, item: usize) -> Rc<Vec<Row>> {
        if let Some(rows) = &self.rows.borrow()[item] {
            return Rc::clone(rows);
        }
        let rows = Rc::new(self.laid(item));
        self.rows.borrow_mut()[item] = Some(Rc::clone(&rows));
        rows
    }

    fn laid(&self, item: usize) -> Vec<Row> {
        let message = &self.talk.messages[item];
        let before = item.checked_sub(1).map(|before| &self.talk.messages[before]);
        let mut rows = Vec::new();
        let mut is_first = before.is_none();
        let zone = &self.state.look.zone;
        if zone.day(message.created_at) != before.and_then(|before| zone.day(before.created_at))
            && (before.is_some() || !self.talk.has_older)
        {
            rows.push(self.rule(&zone.day_line(message.created_at)));
            is_first = true;
        }
        if let Some(count) = self.unread_from(message, before) {
            rows.push(self.rule(&format!("{count} new")));
            is_first = true;
        }
        let is_together = before.is_some_and(|before| {
            !is_first
                && before.sender == message.sender
                && before.kind == message.kind
                && self.talk.selected.is_none()
                && message.created_at.0 - before.created_at.0 < TOGETHER
        });
        rows.extend(self.message(message, is_together));
        rows
    }

    /// How many messages are new, above the first of them.
    fn unread_from(&self, message: &Message, before: Option<&Message>) -> Option<usize> {
        let read = self.talk.read_before?;
        let is_first_new = message.seq > read && before.is_some_and(|before| before.seq <= read);
        if !is_first_new {
            return None;
        }
        let own = &self.state.identity;
        let new = self.talk.messages.iter().filter(|message| message.seq > read);
        let count = new.filter(|message| message.sender != *own).count();
        (count > 0).then_some(count)
    }

    fn rule(&self, words: &str) -> Row {
        let line = self.state.look.symbols.horizontal;
        let room = self.width.saturating_sub(words.chars().count() + 2);
        let left = room / 2;
        let mut row = Row::of(line.repeat(left), Role::Dim);
        row.push(format!(" {words} "), Role::Accent);
        row.push(line.repeat(room - left), Role::Dim);
        row
    }

    /// How many cells a name has.
    fn name_width(&self) -> usize {
        match layout::class(self.state.size) {
            layout::Class::TooSmall | layout::Class::Small => 8,
            layout::Class::Middle => 10,
            layout::Class::Large => 12,
        }
    }

    fn message(&self, message: &Message, is_together: bool) -> Vec<Row> {
        let symbols = self.state.look.symbols;
        let names = self.name_width();
        let indent = 6 + names + 1;
        let room = self.width.saturating_sub(indent).max(8);
        let is_system = message.kind == MessageType::System;
        let mut text = self.text(message, room);
        let hidden = Clean::text(&message.content).hidden();
        if hidden > 0 {
            let mark = format!("{} {hidden} hidden", symbols.hidden);
            text.push(Row::of(mark, Role::Wait));
        }
        if is_system {
            text = text.into_iter().map(|row| row.all(Role::Dim)).collect();
        }
        let is_selected = self.talk.selected == Some(message.seq);
        let mut rows = Vec::with_capacity(text.len());
        for (number, line) in text.into_iter().enumerate() {
            let mut row = Row::new();
            if number == 0 && !is_together {
                let at = self.state.look.zone.clock(message.created_at);
                row.push(at, Role::Dim);
                row.push(if is_selected { symbols.selected } else { " " }, Role::Accent);
                row.append(self.author(message, names));
            }
            row.tab(indent);
            row.append(line);
            rows.push(row);
        }
        rows
    }

    fn author(&self, message: &Message, cells: usize) -> Row {
        if message.kind == MessageType::System {
            return Row::of("system", Role::Dim);
        }
        let name = message.sender.to_string();
        let role = match message.sender_kind {
            MemberKind::Person => Role::Strong,
            _ => hue(&name),
        };
        Row::of(cut::end(name, cells, self.state.look.symbols.ellipsis), role)
    }

    fn text(&self, message: &Message, room: usize) -> Vec<Row> {
        let clean = Clean::text(&message.content);
        let look = &self.state.look;
        let reached = Reached {
            names: &message.mentions.resolved,
            all: message.mentions.all,
            person: &self.state.identity,
        };
        let width = if self.state.is_cutting { usize::MAX / 2 } else { room };
        let mut rows = mentions::rows(&clean, reached, look.symbols, width);
        if self.state.is_cutting {
            rows = rows.into_iter().map(|row| row.cut(room, look.symbols.ellipsis)).collect();
        }
        if rows.len() > LONG && !self.talk.unfolded.contains(&message.seq) {
            let more = rows.len() - FOLDED;
            rows.truncate(FOLDED);
            let ellipsis = self.state.look.symbols.ellipsis;
            rows.push(Row::of(format!("{ellipsis} {more} more lines, Enter"), Role::Dim));
        }
        if let Some(resource) = message.resource {
            rows.push(Row::of(format!("whole text: {resource} (o opens)"), Role::Link));
        }
        if rows.is_empty() {
            rows.push(Row::new());
        }
        rows
    }
}

impl Flow for Pages<'_> {
    fn len(&self) -> usize {
        self.talk.messages.len()
    }

    fn height(&self, item: usize) -> usize {
        self.rows(item).len()
    }
}

/// Draws a conversation.
pub fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) {
    let Some(key) = crate::update::talk::shown(state) else { return };
    let Some(talk) = state.talks.get(&key) else {
        return hint(state, painter, area, "loading");
    };
    if talk.messages.is_empty() {
        let words = if talk.is_loaded { "nothing was said here yet: i writes" } else { "loading" };
        return hint(state, painter, area, words);
    }
    let working = working(state, &key.0).filter(|_| talk.view == View::Following);
    let height = usize::from(area.height);
    let pages = Pages::new(state, talk);
    let room = height - usize::from(working.is_some()).min(height);
    let mut spot = pages.place(room);
    if talk.view != View::Following {
        spot = pages.place(height);
    }
    let shown = rows_from(&pages, spot, room);
    // A short conversation stands at the bottom, where the next message comes.
    let first = room.saturating_sub(shown.len());
    for (y, (item, row)) in shown.iter().enumerate() {
        let y = u16::try_from(first + y).unwrap_or(u16::MAX);
        painter.row(area, 0, y, row);
        let is_selected = talk.selected.is_some_and(|seq| talk.messages[*item].seq == seq);
        if is_selected && state.focus == Focus::Main {
            painter.text(area, 5, y, &Ink::from(state.look.symbols.selected), Role::Accent);
        }
    }
    if let Some(row) = working {
        painter.row(area, 0, area.height.saturating_sub(1), &row);
    }
    edges(state, painter, area, talk, &pages, spot);
}

fn hint(_state: &State, painter: &mut Painter<'_>, area: Rect, words: &'static str) {
    painter.row(area, 1, area.height / 3, &Row::of(words, Role::Dim));
}

fn rows_from(pages: &Pages<'_>, spot: Spot, height: usize) -> Vec<(usize, Row)> {
    let mut shown = Vec::new();
    for item in spot.item..pages.len() {
        let skip = if item == spot.item { spot.line } else { 0 };
        let rows = pages.rows(item);
        for row in rows.iter().skip(skip) {
            if shown.len() == height {
                return shown;
            }
            shown.push((item, row.clone()));
        }
    }
    shown
}

/// What is above and below the window.
fn edges(
    state: &State,
    painter: &mut Painter<'_>,
    area: Rect,
    talk: &Talk,
    pages: &Pages<'_>,
    spot: Spot,
) {
    if matches!(talk.loading, Some(Side::Before(_))) && spot == Spot::default() {
        let row =
            Row::of(state.look.symbols.running, Role::Running).with(" loading older", Role::Dim);
        painter.clear(Rect { height: 1, ..area });
        painter.row(area, 0, 0, &row);
    }
    if talk.view == View::Following {
        return;
    }
    let below = flow::below(pages, spot, usize::from(area.height));
    if below == 0 && !talk.has_newer {
        return;
    }
    let own = &state.identity;
    let unseen = talk.messages.iter().rev().take(below);
    let named = unseen.filter(|message| message.mentions.resolved.contains(own)).count();
    let more = if talk.has_newer { "+" } else { "" };
    let words = match named {
        0 => format!(" {below}{more} below, G "),
        named => format!(" @{named} of {below}{more} below, G "),
    };
    let row = Row::of(words, Role::Selected);
    let x = area.width.saturating_sub(u16::try_from(row.width()).unwrap_or(0));
    painter.row(area, x, area.height.saturating_sub(1), &row);
}

/// The line that says who is at work here.
fn working(state: &State, scope: &agent_worker_protocol::target::Scope) -> Option<Row> {
    use agent_worker_protocol::agent::AgentState;
    let members = state.mirror().agents_of(scope);
    let working: Vec<_> =
        members.into_iter().filter(|agent| agent.state == AgentState::Running).collect();
    let first = working.first()?;
    let run = state.mirror().live_run(&first.target);
    let is = words::agent(state, first);
    let mut row = Row::of(state.look.zone.clock(Timestamp(state.shown_now())), Role::Dim);
    row.space(1);
    if let [only] = working.as_slice() {
        row.push(only.name.to_string(), hue(only.name.as_str()));
        row.space(1);
        row.push(is.symbol, is.role);
        let lasts = run.map_or(0, |run| state.shown_now() - run.started_at.0);
        let verb = if state.is_live() { "is at work" } else { "was at work" };
        row.push(format!(" {verb}: {}, {}", is.word, elapsed(lasts)), Role::Dim);
    } else {
        row.push(is.symbol, is.role);
        let names: Vec<_> = working.iter().map(|agent| agent.name.to_string()).collect();
        row.push(format!(" {} are at work", names.join(", ")), Role::Dim);
    }
    Some(row.cut(layout::channel_width(state), state.look.symbols.ellipsis))
}
