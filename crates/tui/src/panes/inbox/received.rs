//! An inbox: its messages, and of the selected one the text and what became of it.

use agent_worker_client::Clean;
use agent_worker_protocol::{
    agent::MemberKind, channel::Message, conversation::Conversation, inbox::InboxMessage,
};
use ratatui_core::layout::Rect;

use super::{mailbox, words};
use crate::{
    model::State,
    overlays::message,
    paint::{Painter, Row},
    parts::list,
    text::{
        cut,
        mentions::{self, Reached},
        wrap,
    },
    theme::{Role, hue},
};

/// Cells of a time with its space, of a name, and of a state.
const TIME: usize = 6;
const NAME: usize = 8;
const STATE: usize = 12;

/// Draws it.
pub fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) {
    let area = list::margin(area);
    let Some(mailbox) = mailbox(state) else { return };
    let inbox = &mailbox.inbox;
    if inbox.messages.is_empty() {
        let words = if inbox.is_there() { "nothing came in yet" } else { "loading" };
        painter.row(area, 2, area.height / 3, &Row::of(words, Role::Dim));
        return;
    }
    let (ids, height) = (inbox.ids(), super::list_height(state));
    let width = usize::from(area.width.saturating_sub(1));
    let id_width = ids.iter().map(|id| id.to_string().len()).max().unwrap_or(0);
    let (top, at) = (inbox.picked.top(&ids, height), inbox.picked.at(&ids));
    let shown = inbox.messages.iter().enumerate().skip(top).take(height);
    for (y, (number, message)) in (0..).zip(shown) {
        let row = line(state, message, id_width, width);
        list::line(state, painter, area, y, &row, at == Some(number));
    }
    let y = u16::try_from(height).unwrap_or(u16::MAX);
    if let Some(message) = at.map(|at| &inbox.messages[at]) {
        let rows = below_it(state, message, width);
        below(painter, area, y, &message.message.id.to_string(), &rows);
    }
}

/// Draws what is known of the selected line, below the list.
pub fn below(painter: &mut Painter<'_>, area: Rect, y: u16, title: &str, rows: &[Row]) {
    painter.rule(area, y, Some(Row::of(title.to_owned(), Role::Title)));
    for (y, row) in (y + 1..area.height).zip(rows) {
        painter.row(area, 1, y, row);
    }
}

fn line(state: &State, message: &InboxMessage, id_width: usize, width: usize) -> Row {
    let symbols = state.look.symbols;
    let said = &message.message;
    let mut row = Row::of(said.id.to_string(), Role::Dim);
    row.tab(id_width + 1);
    row.push(state.look.zone.clock(said.created_at), Role::Dim);
    row.space(1);
    row.push(cut::end(said.sender.to_string(), NAME, symbols.ellipsis), sender_role(said));
    let from = id_width + 1 + TIME + NAME + 1;
    row.tab(from);
    let room = width.saturating_sub(from + STATE + 1);
    row.push(cut::end(first_line(said), room, symbols.ellipsis), Role::Text);
    row.tab(width.saturating_sub(STATE));
    let (word, role) = words::delivery(state, &message.delivery);
    row.push(word, role);
    row
}

fn sender_role(message: &Message) -> Role {
    match message.sender_kind {
        MemberKind::System => Role::Dim,
        MemberKind::Person => Role::Strong,
        _ => hue(message.sender.as_str()),
    }
}

/// The first line of a message that says something.
pub fn first_line(message: &Message) -> String {
    let text = Clean::text(cut::part(&message.content));
    let mut lines = text.as_str().lines().map(str::trim);
    lines.find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

/// A message's text in rows.
pub fn text(state: &State, message: &Message, width: usize) -> Vec<Row> {
    let reached = Reached {
        names: &message.mentions.resolved,
        all: message.mentions.all,
        person: &state.identity,
    };
    let text = Clean::text(cut::part(&message.content));
    mentions::rows(&text, reached, state.look.symbols, width)
}

fn below_it(state: &State, message: &InboxMessage, width: usize) -> Vec<Row> {
    let said = &message.message;
    let mut rows = text(state, said, width);
    if let Some(resource) = said.resource {
        rows.push(Row::of(format!("whole text: {resource} (o opens)"), Role::Link));
    }
    rows.push(Row::new());
    let (_, role) = words::delivery(state, &message.delivery);
    let known = message::get(state, said.id);
    let to = known.and_then(message::recipients).unwrap_or_else(|| to(said));
    let mut facts = vec![Row::of(format!("to {to}"), Role::Text)];
    if let Some(known) = known {
        facts.push(Row::of(format!("read by: {}", message::read_by(state, known)), Role::Text));
    }
    facts.push(Row::of(words::sentence(state, &message.delivery), role));
    if let Some(run) = said.run {
        facts.push(Row::of(format!("written in {run}"), Role::Dim));
    }
    rows.extend(wrap::wrap(&facts, width, 2));
    rows
}

/// Whom a message is for.
pub fn to(message: &Message) -> String {
    let names: Vec<_> = message.mentions.resolved.iter().map(ToString::to_string).collect();
    match &message.group {
        Conversation::Direct(one, other) => {
            format!("{} alone", if *one == message.sender { other } else { one })
        }
        _ if message.mentions.all => "all".to_owned(),
        Conversation::Group(name) => format!("the group {name}"),
        Conversation::Channel if names.is_empty() => "nobody by name".to_owned(),
        Conversation::Channel => names.join(" "),
    }
}
