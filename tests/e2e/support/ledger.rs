//! Everything that a daemon has told, from the beginning: what was promised is held against it.

use std::collections::BTreeMap;

use agent_worker_client::Client;
use agent_worker_protocol::{
    Delivery, DeliveryState, EventBody, Message, MessageId, Reason, Run, RunId,
};

use super::Watch;

/// A delivery's two names.
type Key = (MessageId, String);

/// The whole feed, by entity.
#[derive(Debug, Default)]
pub struct Ledger {
    pub messages: BTreeMap<MessageId, Message>,
    pub runs: BTreeMap<RunId, Run>,
    deliveries: BTreeMap<Key, Delivery>,
    acks: BTreeMap<Key, usize>,
}

impl Ledger {
    /// Reads the feed up to now. Its events have no gap.
    pub async fn read(client: &Client) -> Self {
        let newest = client.snapshot().await.unwrap().seq;
        let mut watch = Watch::all(client).await;
        let mut ledger = Self::default();
        for seq in 1..=newest {
            let event = watch.event().await;
            assert_eq!(event.seq, seq, "the feed has no gap");
            ledger.take(event.body);
        }
        ledger
    }

    fn take(&mut self, body: EventBody) {
        match body {
            EventBody::MessageSent { message, deliveries } => {
                self.messages.insert(message.id, *message);
                for delivery in deliveries {
                    self.put(delivery);
                }
            }
            EventBody::DeliveryChanged(delivery) => {
                let is_ack = delivery.state == DeliveryState::Acked;
                if is_ack {
                    *self.acks.entry(key(&delivery)).or_default() += 1;
                }
                self.put(*delivery);
            }
            EventBody::RunChanged(run) => drop(self.runs.insert(run.id, *run)),
            _ => {}
        }
    }

    fn put(&mut self, delivery: Delivery) {
        self.deliveries.insert(key(&delivery), delivery);
    }

    /// Every mention of an agent is handled: each waking delivery was acked, and once; no run is
    /// left over. If the asker got an answer by asking again, the answer is not delivered besides
    /// (§15).
    pub fn assert_all_is_done(&self) {
        let is_taken = |delivery: &Delivery| {
            (delivery.reason, delivery.state) == (Reason::Answer, DeliveryState::Dropped)
        };
        let waking = |delivery: &Delivery| delivery.wakes && !is_taken(delivery);
        for (key, delivery) in self.deliveries.iter().filter(|(_, delivery)| waking(delivery)) {
            assert_eq!(delivery.state, DeliveryState::Acked, "{key:?}: {delivery:?}");
            assert_eq!(self.acks.get(key), Some(&1), "{key:?} is acked once");
        }
        assert!(self.acks.values().all(|times| *times == 1), "{:?}", self.acks);
        let live: Vec<_> = self.runs.values().filter(|run| run.state.is_live()).collect();
        assert!(live.is_empty(), "{live:?}");
    }

    /// What was acknowledged to its sender was handled by the agent it names.
    pub fn assert_handled<'a>(&self, sent: impl IntoIterator<Item = (&'a MessageId, &'a str)>) {
        for (id, name) in sent {
            assert_eq!(self.acks.get(&(*id, name.to_owned())), Some(&1), "{id} to {name}");
        }
    }
}

fn key(delivery: &Delivery) -> Key {
    let name = delivery.agent.name.as_ref().map(ToString::to_string);
    (delivery.message, name.unwrap_or_default())
}
