//! What waits for an agent, in order, and what each of it waits for.

use agent_worker_protocol::Queued;

use super::state::{self, selected};
use crate::{
    model::Model,
    paint::Row,
    parts::{mail, message},
    text::{cut, wrap},
    theme::Role,
};

/// Cells of what is waited for, and of since when.
const WAITS: usize = 12;
const SINCE: usize = 13;

pub fn line(model: &Model, queued: &Queued, id_width: usize, width: usize) -> Row {
    let symbols = model.symbols();
    let from = width.saturating_sub(id_width + 1 + SINCE + WAITS);
    let cause = cut::end(mail::cause(queued), from.saturating_sub(3), symbols.ellipsis);
    let mut row = Row::of(symbols.queued, Role::Wait).pad(1).with(cause, Role::Text).tabbed(from);
    if let Some(id) = queued.message {
        row.push(id.to_string(), Role::Dim);
        row.put(from + id_width, if state::is_marked(model, id) { "*" } else { " " }, Role::Accent);
    }
    row.tab(from + id_width + 1);
    if let Some(since) = queued.since {
        row.push(format!("since {}", model.zone().clock(since)), Role::Dim);
    }
    let (word, role) = mail::waiting(model, queued);
    row.tabbed(width.saturating_sub(WAITS)).with(word, role)
}

/// What is known of the selected line.
pub fn detail(model: &Model, queued: &Queued, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    if let Some(message) = selected(model) {
        rows.extend(message::text(model, &message.message, width));
        rows.push(Row::new());
    }
    let mut facts = vec![Row::of(queued.text.clone(), mail::waiting(model, queued).1)];
    match queued.attempts {
        0 => {}
        1 => facts.push(Row::of("tried once", Role::Text)),
        many => facts.push(Row::of(format!("tried {many} times"), Role::Text)),
    }
    let hint = queued.hint.clone();
    let help = |hint: String| Row::of("what would help: ", Role::Dim).with(hint, Role::Accent);
    facts.extend(hint.map(help));
    rows.extend(wrap::wrap(&facts, width, 2));
    rows
}
