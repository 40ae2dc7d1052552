//! What is known of mail. A page that was asked for may be older than what happened while it was on
//! its way, so that is done to it again.

use std::collections::BTreeMap;

use agent_worker_protocol::{
    Delivery, DeliveryState, InboxMessage, InboxPage, MessageId, Queue, Queued, Target,
};

use crate::model::Picked;

/// How many messages of an inbox are kept.
const MOST: usize = 200;

/// How many are kept at the most while too few of them are done.
const MOST_OPEN: usize = MOST + 500;

/// How many agents' mail is kept.
const MOST_BOXES: usize = 20;

/// Inboxes and queues that were looked at.
#[derive(Debug, Default)]
pub struct Mail {
    boxes: BTreeMap<Target, Mailbox>,
    seen: Vec<Target>,
}

/// What is known of one agent's mail.
#[derive(Debug, Default)]
pub struct Mailbox {
    pub inbox: Inbox,
    pub queue: Line,
}

/// An inbox, the newest message first.
#[derive(Debug, Default)]
pub struct Inbox {
    pub messages: Vec<InboxMessage>,
    /// Whether there are older ones
    pub has_older: bool,
    /// Which one is selected, as in [`Line::picked`]
    pub picked: Picked<Option<MessageId>>,
    pub load: Load,
    /// What is to be selected when it is there
    sought: Option<DeliveryState>,
    /// Whether what is not done was asked for, to find that
    is_seeking: bool,
    meanwhile: Vec<Change>,
}

#[derive(Debug)]
enum Change {
    Receive(Box<InboxMessage>),
    Change(Box<Delivery>),
}

/// What waits, in order.
#[derive(Debug, Default)]
pub struct Line {
    pub queue: Vec<Queued>,
    /// Whether there is more
    pub has_more: bool,
    pub picked: Picked<Option<MessageId>>,
    pub load: Load,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Load {
    #[default]
    Missing,
    Asked,
    /// It was asked for, and something has changed since.
    AskedTooEarly,
    There,
}

impl Load {
    /// Whether something has to be asked for. From here on it is on its way.
    pub fn ask(&mut self) -> bool {
        let is_missing = *self == Self::Missing;
        if is_missing {
            *self = Self::Asked;
        }
        is_missing
    }
}

impl Mail {
    /// An agent's mail, if it was looked at.
    pub fn get(&self, target: &Target) -> Option<&Mailbox> {
        self.boxes.get(target)
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, target: &Target) -> Option<&mut Mailbox> {
        self.boxes.get_mut(target)
    }

    /// An agent's mail is looked at; what was not for longest is forgotten.
    pub fn look(&mut self, target: &Target) -> &mut Mailbox {
        self.seen.retain(|seen| seen != target);
        self.seen.push(target.clone());
        if self.seen.len() > MOST_BOXES {
            let oldest = self.seen.remove(0);
            self.boxes.remove(&oldest);
        }
        self.boxes.entry(target.clone()).or_default()
    }

    /// Everything is to be asked for again.
    pub fn distrust(&mut self) {
        for mailbox in self.boxes.values_mut() {
            mailbox.inbox.load = Load::Missing;
            mailbox.inbox.is_seeking = false;
            mailbox.queue.load = Load::Missing;
        }
    }

    pub fn forget(&mut self, is_gone: impl Fn(&Target) -> bool) {
        self.boxes.retain(|target, _| !is_gone(target));
        self.seen.retain(|target| !is_gone(target));
    }

    /// A message came in.
    pub fn receive(&mut self, message: InboxMessage) {
        let agent = message.delivery.agent.clone();
        self.take(&agent, Change::Receive(Box::new(message)));
    }

    /// A delivery went on.
    pub fn change(&mut self, delivery: &Delivery) {
        self.take(&delivery.agent, Change::Change(Box::new(delivery.clone())));
    }

    fn take(&mut self, agent: &Target, change: Change) {
        self.outdate(|target| target == agent);
        if let Some(mailbox) = self.boxes.get_mut(agent) {
            mailbox.inbox.take(change);
        }
    }

    /// What waits for these is another.
    pub fn outdate(&mut self, is_meant: impl Fn(&Target) -> bool) {
        for (_, mailbox) in self.boxes.iter_mut().filter(|(target, _)| is_meant(target)) {
            mailbox.queue.load = match mailbox.queue.load {
                Load::Asked | Load::AskedTooEarly => Load::AskedTooEarly,
                Load::Missing | Load::There => Load::Missing,
            };
        }
    }
}

impl Inbox {
    /// What its lines stand for.
    pub fn keys(&self) -> Vec<Option<MessageId>> {
        self.messages.iter().map(|message| Some(message.delivery.message)).collect()
    }

    pub fn get(&self, id: MessageId) -> Option<&InboxMessage> {
        self.messages.iter().find(|message| message.delivery.message == id)
    }

    /// Whether it has to be asked for. From here on it is on its way.
    pub fn ask(&mut self) -> bool {
        let is_missing = self.load.ask();
        if is_missing {
            self.meanwhile.clear();
        }
        is_missing
    }

    /// Selects the oldest message in this state, as soon as the inbox is there.
    pub fn seek(&mut self, state: DeliveryState) {
        self.sought = Some(state);
        if self.load == Load::There {
            self.found();
        }
    }

    fn found(&mut self) {
        let Some(state) = self.sought else { return };
        let found = self.messages.iter().rposition(|it| it.delivery.state == state);
        if let Some(at) = found {
            self.picked.pick(&self.keys(), at);
        }
        if found.is_some() || !self.has_older {
            self.sought = None;
        }
    }

    /// Whether what is sought may be among older messages, to be asked for. From here on it is on
    /// its way.
    pub fn seek_older(&mut self) -> bool {
        let is_missing = self.load == Load::There && self.sought.is_some() && !self.is_seeking;
        self.is_seeking |= is_missing;
        is_missing
    }

    /// Takes what is not done, as it was asked for: older messages are put behind the others.
    pub fn load_older(&mut self, page: InboxPage) {
        let oldest = self.messages.last().map(|message| message.delivery.message);
        let older = page.messages.into_iter().rev();
        let is_older = |it: &InboxMessage| oldest.is_none_or(|oldest| it.delivery.message < oldest);
        self.messages.extend(older.filter(is_older));
        self.found();
        self.seek_no_more();
    }

    /// What is sought was not to be had.
    pub fn seek_no_more(&mut self) {
        (self.sought, self.is_seeking) = (None, false);
        if self.load == Load::There {
            self.catch_up();
        }
    }

    fn catch_up(&mut self) {
        for change in std::mem::take(&mut self.meanwhile) {
            self.done(change);
        }
        self.picked.settle(&self.keys());
    }

    /// Takes the page that was asked for.
    pub fn load(&mut self, page: InboxPage) {
        self.has_older = page.more;
        self.messages = page.messages;
        self.messages.reverse();
        self.load = Load::There;
        self.catch_up();
        self.found();
    }

    fn take(&mut self, change: Change) {
        match self.load {
            Load::Missing => {}
            Load::Asked | Load::AskedTooEarly => self.meanwhile.push(change),
            Load::There if self.is_seeking => self.meanwhile.push(change),
            Load::There => {
                self.done(change);
                self.picked.settle(&self.keys());
            }
        }
    }

    fn done(&mut self, change: Change) {
        match change {
            Change::Receive(message) => self.insert(*message),
            Change::Change(delivery) => {
                let mut known = self.messages.iter_mut();
                if let Some(known) = known.find(|it| it.delivery.message == delivery.message) {
                    known.delivery = *delivery;
                }
            }
        }
    }

    fn insert(&mut self, message: InboxMessage) {
        let id = message.delivery.message;
        if self.get(id).is_some() {
            return;
        }
        let at = self.messages.partition_point(|known| known.delivery.message > id);
        self.messages.insert(at, message);
        if self.messages.len() > MOST {
            // What is not done is kept: it was looked for.
            let is_done = |it: &InboxMessage| {
                matches!(it.delivery.state, DeliveryState::Acked | DeliveryState::Dropped)
            };
            let last = self.messages.len().checked_sub(1).filter(|last| *last >= MOST_OPEN);
            if let Some(at) = self.messages.iter().rposition(is_done).or(last) {
                self.messages.remove(at);
                self.has_older = true;
            }
        }
    }
}

impl Line {
    /// What its lines stand for.
    pub fn keys(&self) -> Vec<Option<MessageId>> {
        self.queue.iter().map(|queued| queued.message).collect()
    }

    /// Whether it is loaded.
    pub fn is_there(&self) -> bool {
        self.load == Load::There
    }

    /// Takes what was asked for; true if it is old already.
    pub fn load(&mut self, queue: Queue) -> bool {
        let is_old = self.load == Load::AskedTooEarly;
        self.load = if is_old { Load::Missing } else { Load::There };
        (self.queue, self.has_more) = (queue.queue, queue.more);
        self.picked.settle(&self.keys());
        is_old
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{story::message, team::delivery};

    fn mail(seq: i64, state: DeliveryState) -> InboxMessage {
        let message = message(seq, "tester", "a text");
        let delivery = delivery(message.id, &"reviewer@review".parse().unwrap(), state);
        InboxMessage::new(message, delivery)
    }

    #[test]
    fn a_dead_letter_that_was_looked_for_outlives_a_full_inbox() {
        let mut inbox = Inbox::default();
        inbox.insert(mail(1, DeliveryState::Dead));
        for seq in 2..=MOST_OPEN {
            inbox.insert(mail(i64::try_from(seq).unwrap(), DeliveryState::Pending));
        }
        assert!(inbox.get(MessageId::new(1)).is_some() && !inbox.has_older);
        let next = i64::try_from(MOST_OPEN).unwrap() + 1;
        inbox.insert(mail(next, DeliveryState::Acked));
        assert!(inbox.get(MessageId::new(1)).is_some(), "what is done goes first");
        inbox.insert(mail(next + 1, DeliveryState::Pending));
        assert!(inbox.get(MessageId::new(1)).is_none() && inbox.messages.len() == MOST_OPEN);
    }
}
