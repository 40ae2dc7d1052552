//! What tables have in common: a filter in one line, and lines sorted by any of their values.

use crate::{
    action::Action,
    model::{Model, Tab},
    paint::Row,
    text::query::{Fact, Value},
    theme::Role,
};

/// The lines of a tab that its filter lets through, sorted as was chosen.
pub fn arranged<T>(
    model: &Model,
    tab: Tab,
    mut lines: Vec<T>,
    facts: impl Fn(&T) -> Vec<Fact>,
) -> Vec<T> {
    if let Some(query) = model.selection.queries.get(&tab) {
        lines.retain(|line| query.takes(&facts(line)));
    }
    let Some(sort) = model.selection.sorts.get(&tab) else { return lines };
    let value = |line: &T| {
        let found = facts(line).into_iter().find(|(name, _)| *name == sort.field);
        found.map_or(Value::Unknown, |(_, value)| value)
    };
    let mut lines: Vec<(Value, T)> = lines.into_iter().map(|line| (value(&line), line)).collect();
    // What is unknown stands last in either direction.
    lines.sort_by(|(one, _), (other, _)| {
        let is_known = |value: &Value| *value != Value::Unknown;
        let order = one.order(other);
        let order = if sort.is_down { order.reverse() } else { order };
        is_known(other).cmp(&is_known(one)).then(order)
    });
    lines.into_iter().map(|(_, line)| line).collect()
}

/// What heads say in other words than the values they stand for.
const HEADS: [(&str, &str); 6] = [
    ("q", "unread"),
    ("start", "age"),
    ("in/out", "tokens"),
    ("per", "rate"),
    ("hour", "rate"),
    ("limit", "left"),
];

/// The value that a table is sorted by when its head is clicked in this cell; `None` where nothing
/// stands.
pub fn head_at(head: &str, x: usize, fields: &[&'static str]) -> Option<&'static str> {
    let before = head.char_indices().nth(x).map_or(head.len(), |(at, _)| at);
    let ends = head.get(before..)?.find(' ').map_or(head.len(), |at| before + at);
    let word = head.get(..ends)?.split_whitespace().next_back()?;
    let name = HEADS.iter().find(|(said, _)| *said == word).map_or(word, |(_, name)| *name);
    let is_first = head.get(..ends)?.trim() == word;
    let found = fields.iter().find(|field| **field == name);
    found.or_else(|| fields.first().filter(|_| is_first)).copied()
}

/// What stands in an empty table: why, if its filter is why.
pub fn nothing(model: &Model, words: &str) -> String {
    if !model.selection.queries.contains_key(&model.place.tab) {
        return words.to_owned();
    }
    format!("no line matches the filter: {} removes it", model.pane_key(Action::Back))
}

/// How a table is filtered and sorted, for the line of the tabs.
pub fn note(model: &Model) -> Row {
    let mut row = Row::new();
    let tab = model.place.tab;
    if let Some(query) = model.selection.queries.get(&tab) {
        row.push(format!("&{} ", query.text), Role::Match);
    }
    if let Some(sort) = model.selection.sorts.get(&tab) {
        let down = if sort.is_down { " down" } else { "" };
        row.push(format!("by {}{down} ", sort.field), Role::Wait);
    }
    row
}
