//! Messages with sender, recipients and time.

use agent_worker_client::{Sanitized, text::Words as _};
use agent_worker_protocol::{
    Conversation, DeliveredState, DeliveredTo, Message, MessagePage, MessageType, Name, Sent,
    Workflow, WorkflowState,
};
use unicode_width::UnicodeWidthStr as _;

use crate::text::{View, bold, dim, layout, line};

/// The longest name for which a column is kept.
const WIDEST_NAME: usize = 20;

/// How wide the column of senders is for these members.
pub fn name_width<'a>(names: impl IntoIterator<Item = &'a Name>) -> usize {
    let widest = names.into_iter().map(|name| name.as_str().width()).max().unwrap_or(0);
    widest.min(WIDEST_NAME)
}

/// How wide the column of senders is for these messages.
pub fn width_of(messages: &[Message]) -> usize {
    let heads = messages.iter().map(|message| head(message).width());
    heads.max().unwrap_or(0).min(WIDEST_NAME)
}

/// Sender, and the recipients if it is not for all. What the daemon says in a direct conversation of
/// two others is for both.
fn head(message: &Message) -> String {
    let sender = &message.sender;
    match &message.group {
        Conversation::Group(group) => format!("{sender} → {group}"),
        Conversation::Direct(one, other) if sender == one => format!("{sender} → {other}"),
        Conversation::Direct(one, other) if sender == other => format!("{sender} → {one}"),
        Conversation::Channel | Conversation::Direct(..) => sender.to_string(),
    }
}

/// One message: time, sender, text. Of a long one it says where the whole is.
pub fn message(view: &View, message: &Message, name_width: usize) -> String {
    let at = view.clock.short(message.created_at);
    let who = head(message);
    let pad = " ".repeat(name_width.saturating_sub(who.width()));
    let is_system = message.kind == MessageType::System;
    let who = if is_system { dim(&who) } else { bold(&who) };
    let plain_head = format!("{at} {}{pad}  ", head(message));
    let styled_head = format!("{} {who}{pad}  ", dim(&at));
    let text = Sanitized::text(message.content.trim_end());
    let text = match message.resource {
        Some(resource) => format!("{text}…\n(full text: {resource})"),
        None => text.to_string(),
    };
    let text = if message.is_closing_note() { dim(&text) } else { text };
    layout::hanging(&styled_head, plain_head.width(), &text, view.width)
}

/// A page of messages, oldest first.
pub fn page(view: &View, page: &MessagePage) -> String {
    if page.messages.is_empty() {
        return "no messages".to_owned();
    }
    let width = width_of(&page.messages);
    let texts: Vec<_> = page.messages.iter().map(|one| message(view, one, width)).collect();
    texts.join("\n")
}

/// What became of a message that was sent, in its workflow, if that is known.
pub fn sent(sent: &Sent, workflow: Option<&Workflow>) -> String {
    let mut lines = Vec::new();
    if sent.delivered_to.is_empty() {
        lines.push(format!("{} was sent; it mentions and wakes no one", sent.id));
    } else {
        let recipients: Vec<_> = sent
            .delivered_to
            .iter()
            .map(|to| format!("{} ({})", to.name, delivered(to, workflow)))
            .collect();
        lines.push(format!("{} → {}", sent.id, recipients.join(", ")));
    }
    for unresolved in &sent.unresolved {
        let near = unresolved.nearest.as_ref();
        let near = near.map(|name| format!(": did you mean @{name}?")).unwrap_or_default();
        lines.push(format!("@{} not found{near}", line(&unresolved.name)));
    }
    for ignored in &sent.ignored {
        let name = line(ignored);
        lines.push(format!("@{name} is in code, a link or a quote: it was not delivered"));
    }
    lines.join("\n")
}

/// What became of a message for one recipient, and why it waits, if it does.
fn delivered(to: &DeliveredTo, workflow: Option<&Workflow>) -> &'static str {
    match (to.state, workflow.map(|workflow| workflow.state)) {
        (DeliveredState::Woken, _) if to.external => "external: it must fetch it",
        (DeliveredState::Stopped, Some(WorkflowState::Created | WorkflowState::SettingUp)) => {
            "waits: its workflow is being set up"
        }
        (DeliveredState::Stopped, Some(WorkflowState::Stopped)) => "waits: its workflow is stopped",
        (DeliveredState::Stopped, _) if workflow.is_some_and(Workflow::ended_in_setup) => {
            "waits for the next start: its workflow has ended"
        }
        (DeliveredState::Stopped, _) => "waits: it is stopped",
        (DeliveredState::Paused, _) => "waits: it is paused",
        (state, _) => state.word().text,
    }
}

#[cfg(test)]
#[path = "tests/text.rs"]
mod tests;
