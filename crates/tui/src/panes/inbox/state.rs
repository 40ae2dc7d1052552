//! Whose mail is shown, and what of it is selected.

use agent_worker_protocol::{DeliveryState, InboxMessage, MessageId, Queued};

use crate::{
    model::{Mailbox, Model, Tab, layout},
    parts::{mail, table},
    text::query::Value,
};

/// Whether an inbox, or what waits, is on the screen.
pub(super) fn is_shown(model: &Model) -> bool {
    matches!(model.place.tab, Tab::Inbox | Tab::Queue)
}

/// Whether the inbox is shown, and not what waits.
pub(super) fn is_inbox(model: &Model) -> bool {
    model.place.tab == Tab::Inbox
}

pub fn mailbox(model: &Model) -> Option<&Mailbox> {
    model.known.inboxes.get(model.place.subject.agent()?)
}

/// What mail can be filtered and sorted by.
pub(super) const MAIL: [&str; 5] = ["id", "from", "text", "state", "age"];

/// What waiting work can be filtered and sorted by.
pub(super) const WORK: [&str; 4] = ["cause", "waits", "message", "age"];

/// The messages of the inbox, as they are filtered and sorted.
pub(super) fn mails(model: &Model) -> Vec<&InboxMessage> {
    let all = mailbox(model).map(|mailbox| mailbox.inbox.messages.iter().collect());
    table::arranged(model, Tab::Inbox, all.unwrap_or_default(), |mail| {
        vec![
            ("id", Value::from(&mail.message.id)),
            ("from", Value::from(&mail.message.sender)),
            ("text", Value::from(&mail.message.content)),
            ("state", Value::from(mail::delivery(model, &mail.delivery).0.as_str())),
            ("age", Value::span(model.shown_at().since(mail.message.created_at))),
        ]
    })
}

/// What waits, as it is filtered and sorted.
pub(super) fn works(model: &Model) -> Vec<&Queued> {
    let all = mailbox(model).map(|mailbox| mailbox.queue.queue.iter().collect());
    table::arranged(model, Tab::Queue, all.unwrap_or_default(), |queued| {
        let since = queued.since.map(|since| Value::span(model.shown_at().since(since)));
        vec![
            ("cause", Value::from(&mail::cause(queued))),
            ("waits", Value::from(&queued.text)),
            ("message", queued.message.as_ref().map_or(Value::Unknown, Value::from)),
            ("age", since.unwrap_or(Value::Unknown)),
        ]
    })
}

/// Which message a line of the list is about, and what became of that.
pub(super) type Line = (MessageId, Option<DeliveryState>);

/// The lines of the list: which message each is about, and what became of that.
fn lines(model: &Model) -> Vec<(Option<MessageId>, Option<DeliveryState>)> {
    if is_inbox(model) {
        let deliveries = mails(model).into_iter().map(|mail| &mail.delivery);
        return deliveries.map(|it| (Some(it.message), Some(it.state))).collect();
    }
    works(model).into_iter().map(|work| (work.message, work.state)).collect()
}

/// What the lines of the list stand for.
pub(super) fn keys(model: &Model) -> Vec<Option<MessageId>> {
    lines(model).into_iter().map(|(id, _)| id).collect()
}

/// Which line of the list is selected.
pub(super) fn at(model: &Model) -> Option<usize> {
    let Mailbox { inbox, queue } = mailbox(model)?;
    let picked = if is_inbox(model) { &inbox.picked } else { &queue.picked };
    picked.at(&keys(model))
}

/// Which message the selected line is about, and what became of that.
pub(super) fn selected_line(model: &Model) -> Option<Line> {
    let (id, state) = lines(model).into_iter().nth(at(model)?)?;
    Some((id?, state))
}

pub(super) fn selected_id(model: &Model) -> Option<MessageId> {
    selected_line(model).map(|(id, _)| id)
}

/// The message that is unfolded.
pub fn looked_at(model: &Model) -> Option<MessageId> {
    selected_id(model).filter(|_| is_inbox(model))
}

/// The selected message, as far as it is known.
pub fn selected(model: &Model) -> Option<&InboxMessage> {
    mailbox(model)?.inbox.get(selected_id(model)?)
}

/// The messages of the list that are marked, in its order.
pub(super) fn marked(model: &Model) -> Vec<Line> {
    let marked = lines(model).into_iter().filter_map(|(id, state)| Some((id?, state)));
    marked.filter(|(id, _)| is_marked(model, *id)).collect()
}

pub(super) fn is_marked(model: &Model, id: MessageId) -> bool {
    model.selection.marked_messages.contains(&id)
}

/// Rows of the list on the screen.
pub fn list_height(model: &Model) -> usize {
    let height = usize::from(layout::regions(model).main.height);
    lines(model).len().min(height / 2).max(1)
}
