//! An inbox: its messages, and of the selected one the text and what became of it.

use agent_worker_protocol::{agent::MemberKind, channel::Message, inbox::InboxMessage};
use ratatui_core::layout::Rect;

use super::state::{self, list_height, mailbox};
use crate::{
    action::Action,
    model::{Model, known::inboxes::Load},
    paint::{Painter, Row},
    parts::{list, mail, message, table},
    text::{cut, wrap},
    theme::{Role, hue},
};

/// Cells of a time with its space, of a name, and of a state.
const TIME: usize = 6;
const NAME: usize = 8;
const STATE: usize = 12;

pub fn draw(model: &Model, painter: &mut Painter<'_>, area: Rect) {
    let area = list::margin(area);
    let Some(mailbox) = mailbox(model) else { return };
    let inbox = &mailbox.inbox;
    let mails = state::mails(model);
    if mails.is_empty() {
        let words = if inbox.load == Load::There { "nothing came in yet" } else { "loading" };
        return painter.hint(area, 2, table::nothing(model, words));
    }
    let (ids, height) = (state::mail_ids(model), list_height(model));
    let width = usize::from(area.width.saturating_sub(1));
    let id_width = ids.iter().map(|id| id.to_string().len()).max().unwrap_or(0);
    list::lines(model, painter, list::rows(area, 0, height), (&inbox.picked, &ids), |at| {
        line(model, mails[at], id_width, width)
    });
    let y = u16::try_from(height).unwrap_or(u16::MAX);
    if let Some(message) = state::mail(model) {
        let rows = below_it(model, message, width);
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

fn line(model: &Model, message: &InboxMessage, id_width: usize, width: usize) -> Row {
    let symbols = model.symbols();
    let said = &message.message;
    let mut row = Row::of(said.id.to_string(), Role::Dim);
    row.put(id_width, if state::is_marked(model, said.id) { "*" } else { " " }, Role::Accent);
    row.push(model.zone().clock(said.created_at), Role::Dim);
    row.space(1);
    row.push(cut::end(said.sender.to_string(), NAME, symbols.ellipsis), sender_role(said));
    let from = id_width + 1 + TIME + NAME + 1;
    let room = width.saturating_sub(from + STATE + 1);
    row.put(from, cut::end(message::first_line(said), room, symbols.ellipsis), Role::Text);
    let (word, role) = mail::delivery(model, &message.delivery);
    row.put(width.saturating_sub(STATE), word, role);
    row
}

fn sender_role(message: &Message) -> Role {
    match message.sender_kind {
        MemberKind::System => Role::Dim,
        MemberKind::Person => Role::Strong,
        _ => hue(message.sender.as_str()),
    }
}

fn below_it(model: &Model, message: &InboxMessage, width: usize) -> Vec<Row> {
    let said = &message.message;
    let mut rows = message::text(model, said, width);
    if let Some(resource) = said.resource {
        rows.push(Row::of(
            format!("whole text: {resource} ({} opens)", model.pane_key(Action::Pager)),
            Role::Link,
        ));
    }
    rows.push(Row::new());
    let (_, role) = mail::delivery(model, &message.delivery);
    let known = model.known.messages.get(&said.id);
    let to = known.and_then(message::recipients).unwrap_or_else(|| message::to(said));
    let mut facts = vec![Row::of(format!("to {to}"), Role::Text)];
    if let Some(known) = known {
        facts.push(Row::of(format!("read by: {}", message::read_by(model, known)), Role::Text));
    }
    facts.push(Row::of(mail::sentence(model, &message.delivery), role));
    if let Some(run) = said.run {
        facts.push(Row::of(format!("written in {run}"), Role::Dim));
    }
    rows.extend(wrap::wrap(&facts, width, 2));
    rows
}
