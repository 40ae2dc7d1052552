//! Whose mail is shown, and what of it is selected.

use agent_worker_protocol::{
    id::MessageId,
    inbox::{DeliveryState, InboxMessage},
    target::Target,
};

use crate::model::{Model, Tab, known::inboxes::Mailbox, layout};

/// Whether the inbox is shown, and not what waits.
pub(super) fn is_inbox(model: &Model) -> bool {
    model.place.tab == Tab::Inbox
}

pub(super) fn of(model: &Model) -> Option<&Target> {
    model.place.subject.agent()
}

pub fn mailbox(model: &Model) -> Option<&Mailbox> {
    model.known.inboxes.get(of(model)?)
}

/// The message that is unfolded.
pub fn looked_at(model: &Model) -> Option<MessageId> {
    selected_id(model).filter(|_| model.place.tab == Tab::Inbox)
}

/// The selected message, as far as it is known.
pub fn selected(model: &Model) -> Option<&InboxMessage> {
    let mailbox = mailbox(model)?;
    if is_inbox(model) {
        mailbox.inbox.selected()
    } else {
        mailbox.inbox.get(mailbox.queue.selected()?.message?)
    }
}

pub(super) fn selected_id(model: &Model) -> Option<MessageId> {
    let mailbox = mailbox(model)?;
    if is_inbox(model) {
        mailbox.inbox.selected().map(|message| message.delivery.message)
    } else {
        mailbox.queue.selected()?.message
    }
}

pub(super) fn delivery_state(model: &Model) -> Option<DeliveryState> {
    if is_inbox(model) {
        selected(model).map(|message| message.delivery.state)
    } else {
        mailbox(model)?.queue.selected()?.state
    }
}

/// Rows of the list on the screen.
pub fn list_height(model: &Model) -> usize {
    let height = usize::from(layout::regions(model).main.height);
    let count = mailbox(model).map_or(0, |mailbox| {
        if is_inbox(model) { mailbox.inbox.messages.len() } else { mailbox.queue.queue.len() }
    });
    count.min(height / 2).max(1)
}
