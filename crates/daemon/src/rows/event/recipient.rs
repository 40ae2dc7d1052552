//! A recipient of a message, as the message's event has it.

use std::borrow::Cow;

use agent_worker_protocol::{Delivery, DeliveryState, MessageId, Reason, Target};
use serde::{Deserialize, Serialize};

/// A recipient as the event of a message has it: shortest what is most frequent. What else a
/// delivery says is the same for all that are new.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub enum Recipient<'a> {
    /// Is woken by a mention.
    Mentioned(Cow<'a, Target>),
    /// The reason is another, or it is not woken.
    Other(Cow<'a, Target>, DeliveryState, Reason, bool, Cow<'a, Option<String>>),
}

impl<'a> Recipient<'a> {
    /// As a new delivery says it.
    pub fn of(new: &'a Delivery) -> Self {
        let agent = Cow::Borrowed(&new.agent);
        match (new.state, new.reason, new.wakes, &new.held_reason) {
            (DeliveryState::Pending, Reason::Mention, true, None) => Self::Mentioned(agent),
            (state, reason, wakes, held) => {
                Self::Other(agent, state, reason, wakes, Cow::Borrowed(held))
            }
        }
    }

    /// The delivery as it was when it was new.
    pub fn delivery(self, message: MessageId) -> Delivery {
        let (state, reason) = (DeliveryState::Pending, Reason::Mention);
        let (agent, state, reason, wakes, held) = match self {
            Self::Mentioned(agent) => (agent, state, reason, true, Cow::Owned(None)),
            Self::Other(agent, state, reason, wakes, held) => (agent, state, reason, wakes, held),
        };
        Delivery {
            message,
            agent: agent.into_owned(),
            state,
            reason,
            wakes,
            attempts: 0,
            held_reason: held.into_owned(),
            not_before: None,
            last_error: None,
            run: None,
            marked: false,
        }
    }
}
