//! What is known of a message, row by row.

use agent_worker_client::text::numbers;
use agent_worker_protocol::{channel::Message, message::MessageDetail, run::Run};

use crate::{
    action::Action,
    keys::Context,
    model::{Model, words},
    paint::Row,
    parts::{mail, message},
    text::wrap,
    theme::{Role, hue},
};

/// Where its keys are: a message has here those that it has in its conversation.
pub const KEYS: &[Context] = &[Context::Box, Context::Channel, Context::Move];

/// Cells of what a line is about.
const NAME: usize = 12;

pub fn rows(
    model: &Model,
    message: &Message,
    detail: Option<&MessageDetail>,
    width: usize,
) -> Vec<Row> {
    let mut rows = message::text(model, message, width);
    if let Some(resource) = message.resource {
        let size =
            detail.map(|detail| format!(", {}", numbers::size(detail.bytes))).unwrap_or_default();
        let open = model.key_in(KEYS, Action::Pager);
        rows.push(Row::of(format!("whole text: {resource}{size} ({open} opens)"), Role::Link));
    }
    rows.push(Row::new());
    let mut facts = vec![
        fact("by", message.sender.to_string(), hue(message.sender.as_str())),
        fact("at", model.zone().full(message.created_at), Role::Text),
        fact("in", format!("{} of {}", message.group, message.scope), Role::Text),
    ];
    if let Some(detail) = detail {
        facts.extend(known(model, message, detail));
    } else {
        facts.push(fact("to", message::to(message), Role::Text));
        facts.extend(message.run.map(|run| fact("run", run.to_string(), Role::Text)));
    }
    if let Some(answered) = message.reply_to {
        facts.push(fact("answers", answered.to_string(), Role::Text));
    }
    if !message.mentions.unresolved.is_empty() {
        let names = format!("@{}", message.mentions.unresolved.join(", @"));
        facts.push(fact("unknown", names, Role::Wait));
    }
    rows.extend(wrap::wrap(&facts, width, NAME));
    rows
}

fn fact(name: &'static str, text: impl Into<crate::paint::Ink>, role: Role) -> Row {
    let mut row = Row::of(name, Role::Dim);
    row.tab(NAME);
    row.with(text, role)
}

fn known(model: &Model, message: &Message, detail: &MessageDetail) -> Vec<Row> {
    let mut facts = Vec::new();
    if let Some(run) = &detail.sent_by {
        facts.push(run_fact(model, "run", run));
    } else if let Some(run) = message.run {
        facts.push(fact("run", run.to_string(), Role::Text));
    }
    facts.push(fact(
        "to",
        message::recipients(detail).unwrap_or_else(|| message::to(message)),
        Role::Text,
    ));
    for delivery in &detail.deliveries {
        let delivery = &delivery.delivery;
        let name = words::name(&delivery.agent);
        let mut row = fact("", name.clone(), hue(&name));
        row.tab(NAME + 11);
        row.space(1);
        facts.push(row.with(mail::sentence(model, delivery), Role::Text));
    }
    facts.push(fact("read by", message::read_by(model, detail), Role::Text));
    let (begun, given): (Vec<_>, Vec<_>) =
        detail.runs.iter().partition(|run| run.cause == Some(message.id));
    facts.extend(begun.into_iter().map(|run| run_fact(model, "woke", run)));
    facts.extend(given.into_iter().map(|run| run_fact(model, "given to", run)));
    if detail.more_runs {
        facts.push(fact("", "and more runs", Role::Dim));
    }
    if detail.root != message.id {
        facts.push(fact("began with", detail.root.to_string(), Role::Text));
    }
    facts
}

/// A run as it is now, if it is among those that are known.
fn run_fact(model: &Model, name: &'static str, run: &Run) -> Row {
    let run = model.mirror().run(run.id).unwrap_or(run);
    let is = words::run_state(model.symbols(), run.state);
    let agent = words::name(&run.agent);
    let end = run.ended_at.unwrap_or(model.shown_at());
    let lasts = numbers::elapsed(end.since(run.started_at));
    let cost = run.cost.map(|cost| format!(", {}", numbers::cost(Some(cost)))).unwrap_or_default();
    let row = fact(name, format!("{} of {agent}  ", run.id), Role::Text);
    row.with(format!("{} {}", is.symbol, is.word), is.role)
        .with(format!(", {lasts}{cost}"), Role::Dim)
}
