//! An inbox: its messages, and of the selected one the text and what became of it.

use agent_worker_protocol::{InboxMessage, MemberKind, Message};

use super::state;
use crate::{
    action::Action,
    model::Model,
    paint::Row,
    parts::{mail, message},
    text::{cut, wrap},
    theme::{Role, hue},
};

/// Cells of a time with its space, of a name, and of a state.
const TIME: usize = 6;
const NAME: usize = 8;
const STATE: usize = 12;

pub fn line(model: &Model, message: &InboxMessage, id_width: usize, width: usize) -> Row {
    let symbols = model.symbols();
    let said = &message.message;
    let mut row = Row::of(said.id.to_string(), Role::Dim);
    row.put(id_width, if state::is_marked(model, said.id) { "*" } else { " " }, Role::Accent);
    let mut row = row.with(model.zone().clock(said.created_at), Role::Dim).pad(1);
    row.push(cut::end(said.sender.to_string(), NAME, symbols.ellipsis), sender_role(said));
    let from = id_width + 1 + TIME + NAME + 1;
    let room = width.saturating_sub(from + STATE + 1);
    row.put(from, cut::end(message::first_line(said), room, symbols.ellipsis), Role::Text);
    let (word, role) = mail::delivery(model, &message.delivery);
    row.tabbed(width.saturating_sub(STATE)).with(word, role)
}

fn sender_role(message: &Message) -> Role {
    match message.sender_kind {
        MemberKind::System => Role::Dim,
        MemberKind::Person => Role::Strong,
        _ => hue(message.sender.as_str()),
    }
}

/// What is known of the selected line.
pub fn detail(model: &Model, message: &InboxMessage, width: usize) -> Vec<Row> {
    let said = &message.message;
    let mut rows = message::text(model, said, width);
    if let Some(resource) = said.resource {
        let open = model.pane_key(Action::Pager);
        rows.push(Row::of(format!("whole text: {resource} ({open} opens)"), Role::Link));
    }
    rows.push(Row::new());
    let (_, role) = mail::delivery(model, &message.delivery);
    let known = model.known.messages.get(&said.id);
    let to = known.and_then(message::recipients).unwrap_or_else(|| message::to(said));
    let mut facts = vec![Row::of(format!("to {to}"), Role::Text)];
    let read_by = known.map(|known| format!("read by: {}", message::read_by(model, known)));
    facts.extend(read_by.map(|words| Row::of(words, Role::Text)));
    facts.push(Row::of(mail::sentence(model, &message.delivery), role));
    facts.extend(said.run.map(|run| Row::of(format!("written in {run}"), Role::Dim)));
    rows.extend(wrap::wrap(&facts, width, 2));
    rows
}
