//! How the log looks: what is shown of it, its lines, the fields of the selected one.

use agent_worker_protocol::{LoggedEvent, Timestamp};
use ratatui_core::layout::Rect;

use super::state::{FAMILIES, HEAD, Log, height, is_error};
use crate::{
    model::Model,
    paint::{Painter, Row},
    parts::list,
    theme::{Role, hue},
};

impl Log {
    pub fn paint(&self, model: &Model, painter: &mut Painter<'_>, area: Rect) {
        let ellipsis = painter.symbols.ellipsis;
        painter.row(area, 0, 0, &filter(self).cut(usize::from(area.width), ellipsis));
        painter.rule(list::margin(area), 1, None);
        let (_, body) = list::split(area, usize::from(HEAD));
        let shown = self.shown();
        if shown.is_empty() {
            let is_known = self.is_loaded && self.asked.is_none();
            let words = if is_known { "nothing of this kind" } else { "loading" };
            return painter.hint(body, 1, words);
        }
        let height = height(area);
        let at = self.at(&shown).unwrap_or(0);
        let last = shown.len().saturating_sub(height);
        let top =
            if self.selected.is_none() { last } else { at.saturating_sub(height / 2).min(last) };
        for (y, number) in (0..).zip(top..shown.len().min(top + height)) {
            let row = said_in(model, shown[number]).cut(usize::from(body.width), ellipsis);
            list::line(model, painter, list::margin(body), y, &row, number == at);
        }
        detail(model, painter, list::split(body, height).1, shown[at]);
    }
}

/// Which events are shown, of those that could be.
fn filter(log: &Log) -> Row {
    let errors = choice("! errors", log.errors_only);
    let mut row = choice("all", !log.errors_only).and(errors).with("  kinds:", Role::Dim);
    for (number, family) in FAMILIES.iter().enumerate() {
        let words = if family.is_empty() { "all" } else { self::family(family) };
        row.append(choice(words, number == log.family));
    }
    row
}

/// One of several choices: the current choice stands in brackets.
fn choice(words: &'static str, is_on: bool) -> Row {
    let (begin, end, role) = if is_on { ("[", "]", Role::Title) } else { (" ", " ", Role::Dim) };
    Row::of(begin, role).with(words, role).with(end, role)
}

/// An event in a line.
fn said_in(model: &Model, event: &LoggedEvent) -> Row {
    let symbols = model.symbols();
    let mut row = Row::of(model.zone().clock_seconds(event.at), Role::Dim).pad(1);
    let is_bad = is_error(event);
    if is_bad {
        row = row.with(symbols.failed, Role::Failed).pad(1);
    }
    row.push(family(&event.kind), if is_bad { Role::Failed } else { Role::Text });
    row.put(17, event.actor.clone(), hue(&event.actor));
    row.put(row.width().max(27) + 1, event.subject.clone(), Role::Text);
    let said = said(event).map(|said| format!(" {said}")).unwrap_or_default();
    row.with(said, Role::Dim)
}

/// A kind of event in a short word.
fn family(kind: &str) -> &'static str {
    match kind.split('.').next().unwrap_or("") {
        "message" => "msg",
        "delivery" => "mail",
        "run" => "run",
        "agent" => "agent",
        "workflow" => "flow",
        "document" => "doc",
        "proposal" => "vote",
        "schedule" => "due",
        "question" => "asks",
        "resource" => "text",
        "group" => "read",
        "attention" => "need",
        _ => "other",
    }
}

/// What an event says in a few words.
fn said(event: &LoggedEvent) -> Option<String> {
    let text = |path: &str| event.body.pointer(path).and_then(|value| value.as_str());
    let word = |path: &str| text(path).unwrap_or_default();
    match event.kind.as_str() {
        "message.sent" => text("/message/content").map(ToOwned::to_owned),
        "run.changed" => {
            let state = text("/state")?;
            let more = text("/error").unwrap_or(word("/activity"));
            Some(format!("{} {state} {more}", word("/agent")))
        }
        "question.changed" => {
            let more = text("/answer").or(text("/expired_because")).unwrap_or(word("/text"));
            Some(format!("{} {more}", word("/agent")))
        }
        "proposal.changed" => {
            let how = text("/result").or(text("/outcome")).or(text("/status"))?;
            Some(format!("{how} {}", word("/title")))
        }
        "schedule.changed" => {
            let last = text("/last/reason").or(text("/last/message")).unwrap_or(word("/state"));
            Some(format!("{} {last}", word("/agent")))
        }
        "agent.changed" | "workflow.changed" => text("/state").map(ToOwned::to_owned),
        "delivery.changed" => Some(format!("{} {}", word("/agent"), word("/state"))),
        "document.changed" => {
            let version = event.body.get("version").and_then(serde_json::Value::as_i64);
            version.map(|version| format!("v{version}"))
        }
        _ => None,
    }
}

/// Fields that say what an event is about: they are told first.
const TELLING: [&str; 12] = [
    "content", "agent", "state", "error", "class", "attempt", "activity", "version", "author",
    "cause", "exit", "cost",
];

/// Fields with a time, beside those that end in `_at`.
const TIMES: [&str; 6] = ["at", "since", "running_since", "not_before", "next_due", "end_by"];

/// Fields that the lines above have told already.
const TOLD: [&str; 5] = ["id", "scope", "target", "name", "file"];

/// The fields of an event, one on each line.
fn detail(model: &Model, painter: &mut Painter<'_>, area: Rect, event: &LoggedEvent) {
    let title = Row::of(format!("event {}", event.seq), Role::Dim);
    painter.rule(list::margin(area), 0, Some(title));
    let mut fields: Vec<(String, String)> = vec![
        ("kind".to_owned(), event.kind.clone()),
        ("about".to_owned(), format!("{} in {}", event.subject, event.scope)),
    ];
    fields.extend(told(model, event));
    for (y, (name, value)) in (1..area.height).zip(fields) {
        let row = Row::of(name, Role::Dim).tabbed(11).pad(1).with(value, Role::Text);
        painter.row(area, 0, y, &row.cut(usize::from(area.width), painter.symbols.ellipsis));
    }
}

/// What the thing is now, the most telling first.
fn told(model: &Model, event: &LoggedEvent) -> Vec<(String, String)> {
    let body = event.body.get("message").unwrap_or(&event.body);
    let Some(body) = body.as_object() else { return Vec::new() };
    let is_new = |name: &str| !TOLD.contains(&name) && name != "kind";
    let mut fields: Vec<_> =
        body.iter().filter(|(name, value)| !value.is_null() && is_new(name)).collect();
    let rank = |name: &str| TELLING.iter().position(|known| *known == name);
    fields.sort_by_key(|(name, _)| rank(name).unwrap_or(TELLING.len()));
    let text = |name: &str, value: &serde_json::Value| {
        let is_time = name.ends_with("_at") || TIMES.contains(&name);
        if let Some(at) = value.as_i64().filter(|_| is_time) {
            return model.zone().near(Timestamp(at), model.shown_at());
        }
        value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
    };
    fields.into_iter().map(|(name, value)| (name.clone(), text(name, value))).collect()
}
