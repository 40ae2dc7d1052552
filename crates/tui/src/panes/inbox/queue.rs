//! What waits for an agent, in order, and what each of it waits for.

use agent_worker_protocol::queue::Queued;
use ratatui_core::layout::Rect;

use super::{mailbox, received, words};
use crate::model::inboxes::Line;
use crate::{
    model::State,
    paint::{Painter, Row},
    parts::list,
    text::{cut, wrap},
    theme::Role,
};

/// Cells of what is waited for, and of since when.
const WAITS: usize = 12;
const SINCE: usize = 13;

/// Draws it.
pub fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) {
    let area = list::margin(area);
    let Some(mailbox) = mailbox(state) else { return };
    let line = &mailbox.queue;
    if line.queue.is_empty() {
        let words = if line.is_there() { "nothing waits" } else { "loading" };
        painter.row(area, 2, area.height / 3, &Row::of(words, Role::Dim));
        return;
    }
    let (keys, height) = (line.keys(), super::list_height(state));
    let width = usize::from(area.width.saturating_sub(1));
    let ids = keys.iter().flatten();
    let id_width = ids.map(|id| id.to_string().len()).max().unwrap_or(0);
    let (top, at) = (line.picked.top(&keys, height), line.picked.at(&keys));
    let shown = line.queue.iter().enumerate().skip(top).take(height);
    for (y, (number, queued)) in (0..).zip(shown) {
        let row = row(state, queued, id_width, width);
        list::line(state, painter, area, y, &row, at == Some(number));
    }
    let y = u16::try_from(height).unwrap_or(u16::MAX);
    if let Some(queued) = at.map(|at| &line.queue[at]) {
        let title = format!("{} of {}", queued.position, count(line));
        received::below(painter, area, y, &title, &detail(state, queued, width));
    }
}

fn count(line: &Line) -> String {
    let more = if line.has_more { "+" } else { "" };
    format!("{}{more}", line.queue.len())
}

fn row(state: &State, queued: &Queued, id_width: usize, width: usize) -> Row {
    let symbols = state.look.symbols;
    let from = width.saturating_sub(id_width + 1 + SINCE + WAITS);
    let mut row = Row::of(symbols.queued, Role::Wait).pad(1);
    let room = from.saturating_sub(3);
    row.push(cut::end(words::cause(queued), room, symbols.ellipsis), Role::Text);
    row.tab(from);
    if let Some(id) = queued.message {
        row.push(id.to_string(), Role::Dim);
    }
    row.tab(from + id_width + 1);
    if let Some(since) = queued.since {
        row.push(format!("since {}", state.look.zone.clock(since)), Role::Dim);
    }
    row.tab(width.saturating_sub(WAITS));
    let (word, role) = words::waiting(state, queued);
    row.push(word, role);
    row
}

fn detail(state: &State, queued: &Queued, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    if let Some(message) = super::selected(state) {
        rows.extend(received::text(state, &message.message, width));
        rows.push(Row::new());
    }
    let mut facts = vec![Row::of(queued.text.clone(), words::waiting(state, queued).1)];
    match queued.attempts {
        0 => {}
        1 => facts.push(Row::of("tried once", Role::Text)),
        many => facts.push(Row::of(format!("tried {many} times"), Role::Text)),
    }
    if let Some(hint) = &queued.hint {
        facts.push(Row::of("what would help: ", Role::Dim).with(hint.clone(), Role::Accent));
    }
    rows.extend(wrap::wrap(&facts, width, 2));
    rows
}
