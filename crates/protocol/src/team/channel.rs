//! Messages, and how they are sent and read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::terms::mention::Mentioned;
use crate::{
    op::op,
    team::conversation::Conversation,
    terms::{
        MemberKind, MessageId, Name, ResourceId, RunId, Scope, Timestamp, forms, words::words,
    },
};

words! {
    /// What a message is.
    pub enum MessageType {
        /// A member says something.
        Message = "message",
        /// The daemon says something.
        System = "system",
    }
}

words! {
    /// Whether a message asks for work.
    #[derive(Default)]
    #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
    pub enum Intent {
        /// Wakes its recipients.
        #[default]
        Request = "request",
        /// Waits in the inbox for the next run and wakes no one.
        Inform = "inform",
    }
}

/// A message, whole, or the first part of a long one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// `msg_<seq>`
    pub id: MessageId,
    /// Its place in the order of all messages
    pub seq: i64,
    /// Where it is
    pub scope: Scope,
    /// The conversation it is in
    pub group: Conversation,
    /// Who says it
    pub sender: Name,
    /// What the sender is
    pub sender_kind: MemberKind,
    /// What it says; of a long text the first part
    pub content: String,
    /// What it is
    pub kind: MessageType,
    /// Whether it asks for work
    pub intent: Intent,
    /// Whom it names
    pub mentions: Mentioned,
    /// Where the whole of a long text is
    pub resource: Option<ResourceId>,
    /// The message it answers
    pub reply_to: Option<MessageId>,
    /// The run that sent it
    pub run: Option<RunId>,
    /// How many runs lie between it and a person
    pub hop: i64,
    /// When it was stored
    pub created_at: Timestamp,
}

impl Message {
    /// Whether it is a run's note on a message that the run has answered before.
    pub fn is_closing_note(&self) -> bool {
        self.kind == MessageType::Message
            && self.intent == Intent::Inform
            && self.reply_to.is_some()
            && self.run.is_some()
    }
}

words! {
    /// What became of a message for one recipient.
    pub enum DeliveredState {
        /// It starts the recipient, or reaches it in its next run.
        Woken = "woken",
        /// The recipient or its scope is stopped: it waits.
        Stopped = "stopped",
        /// The recipient is paused: it waits.
        Paused = "paused",
        /// The loop guard holds it, or a budget is used up: it waits for the user.
        Held = "held",
        /// It waits for the recipient's next run.
        Inform = "inform",
        /// The user will read it.
        Stored = "stored",
    }
}

/// One recipient of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeliveredTo {
    /// The recipient
    pub name: Name,
    /// What became of it
    pub state: DeliveredState,
    /// Whether the recipient is external: it fetches its messages itself
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub external: bool,
}

/// A word after an `@` that named no member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unresolved {
    /// The word
    pub name: String,
    /// The member it was most likely meant to be
    pub nearest: Option<Name>,
}

/// A message that is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sent {
    /// The message
    pub id: MessageId,
    /// Its place in the order of all messages
    pub seq: i64,
    /// Whom it was delivered to
    pub delivered_to: Vec<DeliveredTo>,
    /// Whom it named in vain, the first of them
    pub unresolved: Vec<Unresolved>,
    /// Names in code, URLs and quoted lines, which reach no one
    pub ignored: Vec<String>,
}

/// Send a message. Each `@name` in it wakes that member; `@all` reaches everyone. With `to`, only
/// those get it; one name makes a direct message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct ChannelSend {
    /// What to say
    #[cfg_attr(feature = "cli", arg(allow_hyphen_values = true))]
    pub message: String,
    /// Members, or one group
    #[serde(default, deserialize_with = "forms::names")]
    #[schemars(with = "Option<Vec<String>>")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", value_delimiter = ','))]
    pub to: Vec<String>,
    /// `inform` wakes no one (`request`)
    #[cfg_attr(feature = "cli", arg(skip))]
    pub intent: Option<Intent>,
    /// Message it answers
    // Older daemons refuse a field that they do not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", arg(long, value_name = "MESSAGE"))]
    pub reply_to: Option<MessageId>,
}

/// Read the channel, oldest message first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChannelRead {
    /// Messages after this one (the newest)
    #[serde(alias = "since")]
    pub after: Option<MessageId>,
    /// How many (50 if they fit)
    pub limit: Option<u32>,
    /// A group, or `alice+bob` (the channel)
    pub group: Option<Conversation>,
}

impl ChannelRead {
    /// The request for what a prompt shows of the channel.
    pub fn of_prompt() -> Self {
        Self { limit: Some(50), ..Self::default() }
    }
}

/// Read a conversation, oldest message first. It moves no cursor and acks nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Peek {
    /// Only messages after this one
    pub after: Option<MessageId>,
    /// Only messages before this one
    pub before: Option<MessageId>,
    /// Messages on both sides of this place, and the one at it; whatever conversation it is of
    pub around: Option<MessageId>,
    /// How many at most (50)
    pub limit: Option<u32>,
    /// Only messages that hold this text, in any case
    pub find: Option<String>,
    /// Another conversation than the target's
    pub group: Option<Conversation>,
}

/// A page of messages, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Messages {
    /// The messages
    pub messages: Vec<Message>,
    /// Whether there are more in the direction that was asked for
    pub more: bool,
}

/// A page of a conversation, oldest first, with what lies on both sides of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessagePage {
    /// The messages
    pub messages: Vec<Message>,
    /// Whether there are more in the direction that was asked for; with `around` in any
    pub more: bool,
    /// Whether there are older ones
    pub more_before: bool,
    /// Whether there are newer ones
    pub more_after: bool,
}

op!(ChannelSend "channel_send": post "/send", write, tool, text => Sent);
op!(ChannelRead "channel_read": no route, read, tool => Messages);
op!(Peek "peek": get "/peek", read => MessagePage);
