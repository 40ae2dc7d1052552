//! What is known of a message, row by row.

use agent_worker_client::text::numbers;
use agent_worker_protocol::{channel::Message, message::MessageDetail, run::Run, time::Timestamp};

use crate::{
    model::{State, words},
    paint::Row,
    panes::inbox,
    text::wrap,
    theme::{Role, hue},
};

/// Cells of what a line is about.
const NAME: usize = 12;

/// All of it.
pub fn rows(
    state: &State,
    message: &Message,
    detail: Option<&MessageDetail>,
    width: usize,
) -> Vec<Row> {
    let mut rows = inbox::text(state, message, width);
    if let Some(resource) = message.resource {
        let size =
            detail.map(|detail| format!(", {}", numbers::size(detail.bytes))).unwrap_or_default();
        rows.push(Row::of(format!("whole text: {resource}{size} (o opens)"), Role::Link));
    }
    rows.push(Row::new());
    let mut facts = vec![
        fact("by", message.sender.to_string(), hue(message.sender.as_str())),
        fact("at", state.look.zone.full(message.created_at), Role::Text),
        fact("in", format!("{} of {}", message.group, message.scope), Role::Text),
    ];
    if let Some(detail) = detail {
        facts.extend(known(state, message, detail));
    } else {
        facts.push(fact("to", inbox::to(message), Role::Text));
        facts.extend(message.run.map(|run| fact("run", run.to_string(), Role::Text)));
    }
    if let Some(answered) = message.reply_to {
        facts.push(fact("answers", answered.to_string(), Role::Text));
    }
    if !message.mentions.unresolved.is_empty() {
        let names = format!("@{}", message.mentions.unresolved.join(", @"));
        facts.push(fact("nobody is", names, Role::Wait));
    }
    rows.extend(wrap::wrap(&facts, width, NAME));
    rows
}

fn fact(name: &'static str, text: impl Into<crate::paint::Ink>, role: Role) -> Row {
    let mut row = Row::of(name, Role::Dim);
    row.tab(NAME);
    row.with(text, role)
}

fn known(state: &State, message: &Message, detail: &MessageDetail) -> Vec<Row> {
    let mut facts = Vec::new();
    if let Some(run) = &detail.sent_by {
        facts.push(run_fact(state, "run", run));
    } else if let Some(run) = message.run {
        facts.push(fact("run", run.to_string(), Role::Text));
    }
    facts.push(fact("to", recipients(detail).unwrap_or_else(|| inbox::to(message)), Role::Text));
    for delivery in &detail.deliveries {
        let delivery = &delivery.delivery;
        let name = delivery.agent.name.as_ref().map(ToString::to_string).unwrap_or_default();
        let mut row = fact("", name.clone(), hue(&name));
        row.tab(NAME + 11);
        row.space(1);
        facts.push(row.with(inbox::sentence(state, delivery), Role::Text));
    }
    facts.push(fact("read by", read_by(state, detail), Role::Text));
    let (begun, given): (Vec<_>, Vec<_>) =
        detail.runs.iter().partition(|run| run.cause == Some(message.id));
    facts.extend(begun.into_iter().map(|run| run_fact(state, "woke", run)));
    facts.extend(given.into_iter().map(|run| run_fact(state, "given to", run)));
    if detail.more_runs {
        facts.push(fact("", "and more runs", Role::Dim));
    }
    if detail.root != message.id {
        facts.push(fact("began with", detail.root.to_string(), Role::Text));
    }
    facts
}

/// A run as it is now, if it is among those that are known.
fn run_fact(state: &State, name: &'static str, run: &Run) -> Row {
    let run = state.mirror().run(run.id).unwrap_or(run);
    let is = words::run(state.look.symbols, run);
    let agent = run.agent.name.as_ref().map(ToString::to_string).unwrap_or_default();
    let end = run.ended_at.unwrap_or(Timestamp(state.shown_now()));
    let lasts = numbers::elapsed(end.since(run.started_at));
    let cost = run.cost.map(|cost| format!(", {}", numbers::cost(Some(cost)))).unwrap_or_default();
    let row = fact(name, format!("{} of {agent}  ", run.id), Role::Text);
    row.with(format!("{} {}", is.symbol, is.word), is.role)
        .with(format!(", {lasts}{cost}"), Role::Dim)
}

/// Whom it was delivered to: `all (5): reviewer coder …`; none if to nobody.
pub fn recipients(detail: &MessageDetail) -> Option<String> {
    let names =
        detail.deliveries.iter().filter_map(|delivery| delivery.delivery.agent.name.as_ref());
    let names: Vec<_> = names.map(ToString::to_string).collect();
    if names.is_empty() {
        return None;
    }
    let all = if detail.message.mentions.all {
        format!("all ({}): ", names.len())
    } else {
        String::new()
    };
    Some(format!("{all}{}", names.join(" ")))
}

/// Who has read it, and when.
pub fn read_by(state: &State, detail: &MessageDetail) -> String {
    if detail.read_by.is_empty() {
        return "nobody yet, as far as is known".to_owned();
    }
    let readers = detail.read_by.iter().map(|reader| match reader.at {
        Some(at) => format!("{} {}", reader.name, state.look.zone.clock(at)),
        None => reader.name.to_string(),
    });
    readers.collect::<Vec<_>>().join(", ")
}
