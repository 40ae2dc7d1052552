//! The inbox and the queue of the agent in the side panel.

use agent_worker_protocol::{DeliveryState, InboxMessage, Queued, WaitsFor};

use super::target::target;
use crate::{
    app::App,
    model::Effect,
    paint::Row,
    parts::{mail, message},
    text::cut,
    theme::{Role, hue},
};

/// A line of the side panel.
pub enum Line {
    /// A rule with these words in it
    Title(String),
    Row(Row),
}

/// Cells below which columns are narrower or left out, so that the last one is not cut.
pub const NARROW: usize = 48;

/// Lines of each that are shown.
const MOST: usize = 5;

/// Asks for what is not known.
pub fn ask(app: &mut App) -> Vec<Effect> {
    match target(app) {
        Some(target) if !app.model.sees_inside(&target) => Vec::new(),
        Some(target) => mail::ask(&mut app.model, &target, true),
        None => Vec::new(),
    }
}

/// The rows in this width; with the agent's name and without times where they stand beside a
/// conversation.
pub fn rows(app: &App, is_named: bool, width: usize) -> Vec<Line> {
    let Some(target) = target(app) else { return Vec::new() };
    let Some(agent) = app.model.mirror().agent(&target) else { return Vec::new() };
    let of = if is_named { format!("inbox of {}", agent.name) } else { "inbox".to_owned() };
    let mut lines = vec![Line::Title(format!("{of}: {} unread", agent.unread))];
    let Some(mailbox) = app.model.known.inboxes.get(&target) else { return lines };
    let is_unread = |message: &&InboxMessage| {
        matches!(message.delivery.state, DeliveryState::Pending | DeliveryState::Waiting)
    };
    let unread = mailbox.inbox.messages.iter().filter(is_unread).take(MOST);
    lines.extend(unread.map(|message| Line::Row(unread_row(app, message, !is_named))));
    let queue = &mailbox.queue;
    if !queue.queue.is_empty() {
        let more = if queue.has_more { "+" } else { "" };
        lines.push(Line::Row(Row::new()));
        let dead = queue.queue.iter().filter(|queued| queued.waits_for == WaitsFor::Dead).count();
        let waiting = queue.queue.len() - dead;
        let dead = if dead > 0 { format!(", {dead} dead") } else { String::new() };
        lines.push(Line::Title(format!("queue: {waiting}{more} waiting{dead}")));
        let waiting = queue.queue.iter().take(MOST);
        lines.extend(waiting.map(|queued| Line::Row(queued_row(app, queued, width))));
    }
    lines
}

fn unread_row(app: &App, message: &InboxMessage, with_time: bool) -> Row {
    let ellipsis = app.model.symbols().ellipsis;
    let message = &message.message;
    let mut row = Row::of(message.id.to_string(), Role::Dim).with(" ", Role::Text);
    if with_time {
        row.push(app.model.zone().clock(message.created_at), Role::Dim);
        row.space(1);
    }
    let name = message.sender.to_string();
    let role = hue(&name);
    let at = row.width();
    row.push(cut::end(name, 8, ellipsis), role);
    row.put(at + 9, message::first_line(message), Role::Text);
    row
}

fn queued_row(app: &App, queued: &Queued, width: usize) -> Row {
    let symbols = app.model.symbols();
    let cause = if width < NARROW { 16 } else { 22 };
    let mut row = Row::of(symbols.queued, Role::Wait).with(" ", Role::Text);
    row.push(cut::end(mail::cause(queued), cause, symbols.ellipsis), Role::Text);
    row.tab(cause + 3);
    if let Some(id) = queued.message {
        row.push(id.to_string(), Role::Dim);
    }
    row.tab(cause + 12);
    match (queued.waits_for, mail::to_come(&app.model, queued.not_before), queued.since) {
        // Time alone starts neither.
        (WaitsFor::Dead | WaitsFor::Held, ..) => {
            let (word, role) = mail::waiting(&app.model, queued);
            row.push(word, role);
        }
        (_, Some(at), _) => {
            row.push(format!("at {}", app.model.zone().clock(at)), Role::Wait);
        }
        (_, None, Some(since)) => {
            row.push(format!("since {}", app.model.zone().clock(since)), Role::Dim);
        }
        (_, None, None) => {}
    }
    row
}
