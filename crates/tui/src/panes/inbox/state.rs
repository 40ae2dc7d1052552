//! Whose mail is shown, and what of it is selected.

use agent_worker_protocol::{
    id::MessageId,
    inbox::{DeliveryState, InboxMessage},
    queue::Queued,
};

use crate::{
    model::{Model, Tab, known::inboxes::Mailbox, layout},
    parts::{mail, table},
    text::query::Value,
};

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

pub(super) fn mail_ids(model: &Model) -> Vec<MessageId> {
    mails(model).into_iter().map(|mail| mail.delivery.message).collect()
}

pub(super) fn work_keys(model: &Model) -> Vec<Option<MessageId>> {
    works(model).into_iter().map(|queued| queued.message).collect()
}

/// The selected message of the inbox.
pub(super) fn mail(model: &Model) -> Option<&InboxMessage> {
    let at = mailbox(model)?.inbox.picked.at(&mail_ids(model))?;
    mails(model).get(at).copied()
}

/// What is selected of the waiting work.
pub(super) fn work(model: &Model) -> Option<&Queued> {
    let at = mailbox(model)?.queue.picked.at(&work_keys(model))?;
    works(model).get(at).copied()
}

/// The message that is unfolded.
pub fn looked_at(model: &Model) -> Option<MessageId> {
    selected_id(model).filter(|_| model.place.tab == Tab::Inbox)
}

/// The selected message, as far as it is known.
pub fn selected(model: &Model) -> Option<&InboxMessage> {
    if is_inbox(model) { mail(model) } else { mailbox(model)?.inbox.get(work(model)?.message?) }
}

pub(super) fn selected_id(model: &Model) -> Option<MessageId> {
    if is_inbox(model) {
        mail(model).map(|message| message.delivery.message)
    } else {
        work(model)?.message
    }
}

pub(super) fn delivery_state(model: &Model) -> Option<DeliveryState> {
    if is_inbox(model) {
        selected(model).map(|message| message.delivery.state)
    } else {
        work(model)?.state
    }
}

/// What became of each message of the list.
fn states(model: &Model) -> Vec<(MessageId, Option<DeliveryState>)> {
    if is_inbox(model) {
        let mails = mails(model).into_iter();
        return mails.map(|mail| (mail.delivery.message, Some(mail.delivery.state))).collect();
    }
    works(model).into_iter().filter_map(|work| Some((work.message?, work.state))).collect()
}

/// The messages of the list that are marked, in its order.
pub(super) fn marked(model: &Model) -> Vec<(MessageId, Option<DeliveryState>)> {
    let mut marked = states(model);
    marked.retain(|(id, _)| is_marked(model, *id));
    marked
}

pub(super) fn is_marked(model: &Model, id: MessageId) -> bool {
    model.selection.marked_messages.contains(&id)
}

/// Rows of the list on the screen.
pub fn list_height(model: &Model) -> usize {
    let height = usize::from(layout::regions(model).main.height);
    let count = if is_inbox(model) { mails(model).len() } else { works(model).len() };
    count.min(height / 2).max(1)
}
