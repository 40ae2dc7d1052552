//! The only way to send a message, for every sender.

use agent_worker_protocol::{
    Conversation, DeliveredTo, DeliveryState, EventBody, Intent, MemberKind, Message, MessageId,
    MessageType, Name, Reason, ResourceId, ResourceType,
};
use sha2::{Digest, Sha256};

use crate::{
    changes::message::{conversation, resource as resources},
    context::{Cx, Who},
    error::{OpError, Result},
    rows::{
        AgentRow, ConversationRow, DeliveryRow, NewMessage, Table, WorkflowRow, numbers, resource,
    },
    rules::{budget, draft::Draft, loop_guard, recipients},
};

/// A message that was stored.
#[derive(Debug)]
pub struct Posted {
    pub seq: i64,
    /// What became of it for each recipient
    pub delivered_to: Vec<DeliveredTo>,
}

/// Stores a message, a delivery for each recipient, and the event that says so.
pub fn post(cx: &mut Cx<'_>, draft: &Draft<'_>) -> Result<Posted> {
    check_text(cx, draft.text)?;
    let likeness = draft.likeness();
    let message = insert(cx, draft, likeness)?;
    let seq = message.seq;
    conversation::has_said(cx, draft.group, seq, draft.sender)?;
    let mut delivered_to = Vec::new();
    let mut deliveries = Vec::new();
    for (recipient, reason) in &draft.recipients {
        let row = deliver(cx, draft, (seq, likeness), recipient, *reason)?;
        delivered_to.push(DeliveredTo {
            name: recipient.name.clone(),
            state: recipients::delivered_state(cx, draft, &row, recipient),
            external: recipient.kind == MemberKind::External,
        });
        deliveries.push(row.entity(recipient));
    }
    cx.judge(draft.scope.id);
    let body = EventBody::MessageSent { message: Box::new(message), deliveries };
    cx.emit_of_run(&draft.scope.scope, draft.run.map(|run| run.id), body)?;
    Ok(Posted { seq, delivered_to })
}

pub fn check_text(cx: &Cx<'_>, text: &str) -> Result<()> {
    let most = cx.settings.messages.max_bytes;
    if text.trim().is_empty() {
        return Err(OpError::invalid("the message is empty"));
    }
    if text.len() > most {
        let text =
            format!("the message has {} bytes, and a message has at most {most}", text.len());
        return Err(OpError::too_large(text).hint(match &cx.who {
            Who::Operator { member: None } => "send it in parts",
            _ => "store it in parts with resource_create, and send what to do with them",
        }));
    }
    Ok(())
}

fn insert(cx: &mut Cx<'_>, draft: &Draft<'_>, likeness: Option<[u8; 8]>) -> Result<Message> {
    let (shown, long) = shorten(cx, draft.text);
    let resource = if long { Some(store_whole(cx, draft)?) } else { None };
    let data: Vec<_> = draft.data.iter().map(|span| [span.start, span.end]).collect();
    let (sender, sender_kind) = match draft.sender {
        Some(sender) => (sender.name.clone(), sender.kind),
        None => (Name::system(), MemberKind::System),
    };
    let seq = numbers::next(cx.db, Table::Messages)?;
    let kind = match sender_kind {
        MemberKind::System => MessageType::System,
        _ => MessageType::Message,
    };
    let new = NewMessage {
        seq,
        scope: draft.scope.id,
        group: draft.group.id,
        generation: draft.scope.generation,
        sender: &sender,
        sender_kind,
        sender_agent: draft.sender.map(|sender| sender.id),
        run: draft.run.map(|run| run.id),
        content: shown,
        data_spans: (!data.is_empty()).then(|| serde_json::json!(data).to_string()),
        resource,
        kind,
        intent: draft.intent,
        mentions: &draft.mentions,
        bytes: i64::try_from(draft.text.len()).unwrap_or(i64::MAX),
        digest: &Sha256::digest(draft.text)[..8],
        likeness,
        hop: draft.hop,
        root: draft.root.unwrap_or(seq),
        reply_to: draft.reply_to,
        created_at: cx.now,
    };
    new.store(cx.db)?;
    Ok(Message {
        id: MessageId::new(seq),
        seq,
        scope: draft.scope.scope.clone(),
        group: draft.group.name.clone(),
        sender,
        sender_kind,
        content: shown.to_owned(),
        kind,
        intent: draft.intent,
        mentions: draft.mentions.clone(),
        resource,
        reply_to: draft.reply_to.map(MessageId::new),
        run: draft.run.map(|run| run.id),
        hop: draft.hop,
        created_at: cx.now,
    })
}

/// Stores the whole of a long text, for those who may read the message.
fn store_whole(cx: &mut Cx<'_>, draft: &Draft<'_>) -> Result<ResourceId> {
    let created_by = draft.sender.map_or_else(Name::system, |sender| sender.name.clone());
    let whole = resource::NewResource {
        group: (draft.group.name != Conversation::Channel).then_some(draft.group.id),
        content_type: ResourceType::Text,
        content: draft.text,
        created_by: &created_by,
        run: draft.run.map(|run| run.id),
    };
    resources::insert(cx, draft.scope, &whole).map(|made| made.id)
}

/// The part of a text that is shown, and whether there is more.
fn shorten<'t>(cx: &Cx<'_>, text: &'t str) -> (&'t str, bool) {
    let sizes = &cx.settings.messages;
    if text.len() <= sizes.long_chars || text.chars().count() <= sizes.long_chars {
        return (text, false);
    }
    let end = text.char_indices().nth(sizes.shown_chars).map_or(text.len(), |(at, _)| at);
    (&text[..end], true)
}

fn deliver(
    cx: &mut Cx<'_>,
    draft: &Draft<'_>,
    (seq, likeness): (i64, Option<[u8; 8]>),
    recipient: &AgentRow,
    reason: Reason,
) -> Result<DeliveryRow> {
    let is_called =
        (reason != Reason::Group || draft.rouses) && !draft.spares.contains(&recipient.id);
    let wakes = recipient.works() && draft.intent == Intent::Request && is_called;
    let guarded = loop_guard::hold_reason(cx, draft, likeness, recipient, (reason, wakes))?;
    let held_reason = guarded
        .or_else(|| if wakes { budget::hold_reason(cx, draft.scope, recipient) } else { None });
    let state = if held_reason.is_some() { DeliveryState::Held } else { DeliveryState::Pending };
    let row = DeliveryRow {
        agent: recipient.id,
        seq,
        group_id: draft.group.id,
        sender_agent: draft.sender.map(|sender| sender.id),
        sender_kind: draft.sender.map_or(MemberKind::System, |sender| sender.kind),
        reason,
        wakes,
        solo: draft.solo,
        state,
        run: None,
        attempts: 0,
        lost_count: 0,
        marked_at: None,
        marked_by: None,
        not_before: None,
        held_reason,
        released: false,
        last_error: None,
        bytes: i64::try_from(draft.text.len()).unwrap_or(i64::MAX),
        hop: draft.hop,
        root: draft.root.unwrap_or(seq),
        sent_at: cx.now,
    };
    row.insert(cx)?;
    if state == DeliveryState::Held || recipient.kind == MemberKind::Person {
        cx.touch_attention(draft.scope.id);
    }
    Ok(row)
}

/// Posts a message of the daemon in a scope's channel. It mentions and wakes no member.
pub fn say(cx: &mut Cx<'_>, scope: &WorkflowRow, text: &str) -> Result<()> {
    let group = ConversationRow::channel(cx.db, scope)?;
    post(cx, &Draft::new(scope, &group, fitting(cx, text))).map(drop)
}

/// A text that is too long for a message, cut where it fits. What the daemon has to say is never
/// refused: the change that says it would be undone.
pub fn fitting<'t>(cx: &Cx<'_>, text: &'t str) -> &'t str {
    &text[..text.floor_char_boundary(cx.settings.messages.max_bytes)]
}
