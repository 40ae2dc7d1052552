//! Messages that were looked at whole.

use std::collections::{BTreeMap, BTreeSet};

use agent_worker_protocol::{
    event::{Event, EventBody},
    id::MessageId,
    message::MessageDetail,
};

/// How many messages are known whole at once.
const MOST: usize = 100;

/// Messages that were looked at whole.
#[derive(Debug, Default)]
pub struct Messages {
    known: BTreeMap<MessageId, MessageDetail>,
    /// Those that something has happened to since, or that could not be loaded
    old: BTreeSet<MessageId>,
    failed: BTreeSet<MessageId>,
    asked: Option<MessageId>,
}

impl Messages {
    /// What is known of a message.
    pub fn get(&self, id: MessageId) -> Option<&MessageDetail> {
        self.known.get(&id)
    }

    /// Whether a message could not be loaded.
    pub fn has_failed(&self, id: MessageId) -> bool {
        self.failed.contains(&id)
    }

    /// A message that could not be loaded may be asked for again.
    pub fn try_again(&mut self, id: MessageId) {
        self.failed.remove(&id);
    }

    /// Whether a message that is looked at is to be asked for. From here on it is on its way. One is
    /// asked for at a time: who runs down a list asks for few of it.
    pub fn ask(&mut self, id: MessageId) -> bool {
        let is_known = self.known.contains_key(&id) && !self.old.contains(&id);
        if is_known || self.asked.is_some() || self.failed.contains(&id) {
            return false;
        }
        self.asked = Some(id);
        self.old.remove(&id);
        true
    }

    /// It is known.
    pub fn load(&mut self, id: MessageId, detail: MessageDetail) {
        self.asked.take_if(|asked| *asked == id);
        if self.known.len() >= MOST {
            self.known.pop_first();
        }
        self.known.insert(id, detail);
    }

    /// It could not be loaded.
    pub fn fail(&mut self, id: MessageId) {
        self.asked.take_if(|asked| *asked == id);
        self.failed.insert(id);
    }

    /// The picture is a new one: what was known may be old.
    pub fn distrust(&mut self) {
        self.old = self.known.keys().copied().collect();
        self.failed.clear();
        self.asked = None;
    }

    /// Something changed.
    pub fn on_event(&mut self, event: &Event) {
        match &event.body {
            EventBody::DeliveryChanged(delivery) => {
                self.old.insert(delivery.message);
            }
            EventBody::RunChanged(run) => self.old.extend(run.cause),
            EventBody::GroupChanged(_) => {
                // The person's reading is a part of it.
                self.old.extend(self.known.keys().copied().collect::<Vec<_>>());
            }
            _ => return,
        }
        let (known, asked) = (&self.known, self.asked);
        self.old.retain(|id| known.contains_key(id) || asked == Some(*id));
    }
}
