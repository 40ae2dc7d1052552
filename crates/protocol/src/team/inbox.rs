//! Deliveries: what becomes of a message for one recipient, and the inbox they make.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::op,
    team::{
        channel::{Intent, Message},
        conversation::Conversation,
    },
    terms::{
        Interval, MessageId, Name, ResourceId, RunId, Target, Timestamp, target, words::words,
    },
};

words! {
    /// Where a delivery is on its way. `acked` and `dropped` are final.
    pub enum DeliveryState {
        /// In the inbox.
        Pending = "pending",
        /// In a run.
        Leased = "leased",
        /// Will be tried again at its `not_before`.
        Waiting = "waiting",
        /// The loop guard, a budget or a cancel keeps it until the user decides.
        Held = "held",
        /// A dead letter: its last attempt has failed.
        Dead = "dead",
        /// Done.
        Acked = "acked",
        /// Discarded by the user.
        Dropped = "dropped",
    }
}

words! {
    /// Why a message was delivered.
    pub enum Reason {
        /// The text names the recipient.
        Mention = "mention",
        /// The sender addressed the recipient.
        To = "to",
        /// The text says `@all`.
        All = "all",
        /// The recipient is in the group.
        Group = "group",
        /// It answers a message of the recipient.
        Reply = "reply",
        /// A schedule fired.
        Schedule = "schedule",
        /// The recipient is to look after its home.
        Heartbeat = "heartbeat",
        /// A proposal concerns the recipient.
        Proposal = "proposal",
        /// A question of the recipient to the user was answered, or its time ended.
        Answer = "answer",
    }
}

impl Reason {
    /// Whether it is an answer to something that the recipient has asked.
    pub fn answers(self) -> bool {
        matches!(self, Self::Reply | Self::Answer)
    }
}

/// One message for one recipient.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Delivery {
    /// The message
    pub message: MessageId,
    /// The recipient
    pub agent: Target,
    /// Where it is on its way
    pub state: DeliveryState,
    /// Why it was delivered
    pub reason: Reason,
    /// Whether it starts its recipient
    pub wakes: bool,
    /// How many attempts it has used
    pub attempts: i64,
    /// Why it is held
    pub held_reason: Option<String>,
    /// When it will be tried again
    pub not_before: Option<Timestamp>,
    /// What the last failed run said
    pub last_error: Option<String>,
    /// The run that has it, or had it last
    pub run: Option<RunId>,
    /// Whether the recipient said that it is done with it
    pub marked: bool,
}

/// A message in an inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InboxMessage {
    /// The message
    #[serde(flatten)]
    pub message: Message,
    /// Whether only the members of its conversation may read it: a group's or a direct message
    #[serde(default)]
    pub private: bool,
    /// What became of it for this recipient
    pub delivery: Delivery,
}

impl InboxMessage {
    /// A message with what became of it for a recipient.
    pub fn new(message: Message, delivery: Delivery) -> Self {
        Self { private: message.group != Conversation::Channel, message, delivery }
    }
}

/// A tool call that an earlier attempt made, or that was denied there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EarlierCall {
    /// The run that made it
    pub run: RunId,
    /// The tool
    pub tool: String,
    /// The beginning of its arguments, as JSON text
    pub arguments: String,
    /// Whether a permission was denied, so that nothing was done
    #[serde(default)]
    pub denied: bool,
}

/// Messages of a conversation that wake the agent again after this run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Elsewhere {
    /// The conversation
    pub group: Conversation,
    /// How many messages wait there
    pub count: i64,
}

/// Message in an inbox, as `my_inbox` shows it unless it is asked for all details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BriefMessage {
    /// The message
    pub id: MessageId,
    /// Who says it
    pub sender: Name,
    /// The conversation it is in
    pub group: Conversation,
    /// Whether only the members of its conversation may read it: a group's or a direct message
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// What it says
    pub content: String,
    /// `inform` if the message asks for no work; `None` for a request
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<Intent>,
    /// Where the whole of a long text is
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<ResourceId>,
}

/// Messages for one member, oldest first, without what a model rarely needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BriefPage {
    /// The messages
    pub messages: Vec<BriefMessage>,
    /// Number of messages in this page
    pub count: i64,
    /// Whether there are more
    pub more: bool,
    /// Messages that wake the agent again after this run, by conversation
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<Elsewhere>,
}

impl From<InboxMessage> for BriefMessage {
    fn from(mail: InboxMessage) -> Self {
        let InboxMessage { message, private, .. } = mail;
        let Message { id, sender, group, content, intent, resource, .. } = message;
        let intent = (intent != Intent::default()).then_some(intent);
        Self { id, sender, group, private, content, intent, resource }
    }
}

impl From<InboxPage> for BriefPage {
    fn from(page: InboxPage) -> Self {
        let InboxPage { messages, count, more, elsewhere, .. } = page;
        let messages = messages.into_iter().map(BriefMessage::from).collect();
        Self { messages, count, more, elsewhere }
    }
}

/// Messages for one member, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InboxPage {
    /// The messages
    pub messages: Vec<InboxMessage>,
    /// How many are here
    pub count: i64,
    /// Whether there are more
    pub more: bool,
    /// Messages that wake the agent again after this run, by conversation
    #[serde(default)]
    pub elsewhere: Vec<Elsewhere>,
    /// The newest calls of earlier attempts at these messages, oldest first; only in the context of
    /// a run
    #[serde(default)]
    pub earlier: Vec<EarlierCall>,
    /// How many still earlier calls are left out
    #[serde(default)]
    pub earlier_omitted: i64,
}

/// Read the messages you are asked to handle. Call it again for newer ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MyInbox {
    /// Most messages (20)
    pub limit: Option<u32>,
    /// Most characters (40000)
    pub max_chars: Option<u32>,
    /// Wait for a message, at most `60s`
    pub wait: Option<Interval>,
    /// All details
    pub full: Option<bool>,
}

impl MyInbox {
    /// The longest wait.
    pub const LONGEST_WAIT: Duration = Duration::from_mins(1);

    /// The request for everything that a prompt is made of.
    pub fn in_full() -> Self {
        Self { full: Some(true), ..Self::default() }
    }
}

/// Mark your messages done, up to this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MyInboxAck {
    /// Last one done, such as `msg_12`
    pub until: MessageId,
}

/// What was marked as done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Acked {
    /// The messages that this call marked
    pub marked: Vec<MessageId>,
}

/// Look into an inbox. Looking leases nothing, acks nothing and moves no cursor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Inbox {
    /// The member, such as `alice` or `alice@review`
    #[serde(serialize_with = "target::whole")]
    pub target: Target,
    /// How many at most (50), the newest
    pub limit: Option<u32>,
    /// Those that are done as well
    #[serde(default)]
    pub all: bool,
    /// Only messages before this one
    pub before: Option<MessageId>,
}

/// Retry dead letters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DeliveryRetry {
    /// All dead letters of this agent or scope
    pub target: Option<Target>,
    /// This message only
    pub message: Option<MessageId>,
}

/// Discard dead letters and held deliveries; of a message that has neither, the deliveries that
/// wait.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DeliveryDrop {
    /// All dead letters and held deliveries of this agent or scope
    pub target: Option<Target>,
    /// This message only
    pub message: Option<MessageId>,
}

/// Leave a message out of all prompts from now on: for a message a provider refuses. Deliveries of it
/// that are open are dropped; the user still sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageHide {
    /// The message
    pub message: MessageId,
}

/// Release held deliveries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DeliveryRelease {
    /// All held deliveries of this agent or scope
    pub target: Option<Target>,
    /// This message only
    pub message: Option<MessageId>,
}

/// The deliveries that an act changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Deliveries {
    /// As they stand now
    pub deliveries: Vec<Delivery>,
}

op!(MyInbox "my_inbox": no route, write, tool, idempotent, fresh => InboxPage);
op!(MyInboxAck "my_inbox_ack": no route, write, tool, idempotent => Acked);
op!(Inbox "inbox": get "/agents/{target}/inbox", read => InboxPage);
op!(DeliveryRetry "delivery_retry": post "/deliveries/retry", write => Deliveries);
op!(DeliveryDrop "delivery_drop": post "/deliveries/drop", write => Deliveries);
op!(MessageHide "message_hide": post "/messages/{message}/hide", write, idempotent => Deliveries);
op!(DeliveryRelease "delivery_release": post "/deliveries/release", write => Deliveries);
