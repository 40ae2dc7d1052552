//! Mail that comes while the model works.

use std::collections::HashSet;

use agent_worker_protocol::{InboxMessage, InboxPage, MessageId, MyInbox};
use serde::Deserialize;
use serde_json::Value;

use crate::tools::{NotDone, Tools};

/// The part of an answer of `my_inbox` that is the same whether or not it has all details.
#[derive(Debug, Deserialize)]
struct Seen {
    messages: Vec<SeenMessage>,
}

#[derive(Debug, Deserialize)]
struct SeenMessage {
    id: MessageId,
}

/// What the model has been given to read.
#[derive(Debug)]
pub struct Mail(HashSet<MessageId>);

impl Mail {
    /// The mail that the prompt has.
    pub fn of(page: &InboxPage) -> Self {
        Self(page.messages.iter().map(|mail| mail.message.id).collect())
    }

    /// What the model has read by itself, out of the answer of `my_inbox`.
    pub fn note(&mut self, answer: &Value) {
        if let Ok(page) = serde_json::from_value::<Seen>(answer.clone()) {
            self.0.extend(page.messages.iter().map(|mail| mail.id));
        }
    }

    /// What has come since. It belongs to this run from now on.
    pub async fn news(&mut self, tools: &Tools) -> Result<Vec<InboxMessage>, NotDone> {
        let mut page = tools.ask(&MyInbox::in_full()).await?;
        page.messages.retain(|mail| self.0.insert(mail.message.id));
        Ok(page.messages)
    }
}
