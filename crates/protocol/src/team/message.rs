//! One message with all that became of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::op,
    team::{channel::Message, inbox::Delivery, run::Run},
    terms::{MessageId, Name, RunId, Timestamp},
};

/// What became of a message for one recipient.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeliveryDetail {
    /// The delivery
    #[serde(flatten)]
    pub delivery: Delivery,
    /// When the recipient said that it is done with it
    pub marked_at: Option<Timestamp>,
}

/// A member that has read a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reader {
    /// The member
    pub name: Name,
    /// The first of its runs that was given it; none of the user
    pub run: Option<RunId>,
    /// When, if that is known: a run that began before the message was given it on its way, and
    /// of the user only the place of the read cursor is kept
    pub at: Option<Timestamp>,
}

/// A message with all that became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MessageDetail {
    /// The message. Where it has a `resource`, the whole text is there
    pub message: Message,
    /// How long the whole text is, in bytes
    pub bytes: i64,
    /// The message that it goes back to; itself if it begins something
    pub root: MessageId,
    /// One for each recipient
    pub deliveries: Vec<DeliveryDetail>,
    /// Who beside its sender is known to have read it. What agents see of a channel beside their
    /// deliveries is not noted
    pub read_by: Vec<Reader>,
    /// The run that sent it
    pub sent_by: Option<Run>,
    /// The runs that were given it, in order; it started those that have it as `cause`
    pub runs: Vec<Run>,
    /// Whether there were more
    pub more_runs: bool,
}

/// Show one message with its deliveries, who has read it, the run that sent it and the runs it
/// has started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageShow {
    /// The message, such as `msg_12`
    pub id: MessageId,
}

op!(MessageShow "message_show": get "/messages/{id}", read => MessageDetail);
