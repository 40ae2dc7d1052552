//! Which pending deliveries a run takes together: those that wake its agent in one conversation,
//! and those of every conversation that do not wake it.

use crate::{
    context::cx::Cx,
    error::OpError,
    rows::{
        agent::AgentRow,
        delivery::{self, DeliveryRow},
    },
};

/// How much a run takes at once.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    pub messages: u32,
    /// Bytes of their texts
    pub bytes: i64,
    /// Whether a first message is taken whatever its size
    pub takes_one: bool,
}

/// What a run takes.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The deliveries, in the order of their messages
    pub mail: Vec<DeliveryRow>,
    /// Whether there was no room for all of them
    pub is_full: bool,
}

impl Room {
    /// The room of a run that begins.
    pub fn of_run(cx: &Cx<'_>) -> Self {
        let inbox = &cx.settings.inbox;
        Self { messages: inbox.messages, bytes: i64::from(inbox.bytes), takes_one: true }
    }

    /// Takes what fits, in order. What comes after a delivery that does not fit is left with it.
    fn take(&mut self, rows: Vec<DeliveryRow>, batch: &mut Batch) {
        for row in rows {
            let fits = self.messages > 0 && (row.bytes <= self.bytes || self.takes_one);
            batch.is_full |= !fits;
            if batch.is_full {
                return;
            }
            self.messages -= 1;
            self.bytes -= row.bytes;
            self.takes_one = false;
            batch.mail.push(row);
        }
    }
}

impl Batch {
    /// What a run takes that begins with this delivery, or without any because its agent was
    /// woken and nothing is due. What must be alone is alone. A run answers in one conversation:
    /// what wakes its agent elsewhere is for further runs, also where a schedule started it.
    pub fn of_run(
        cx: &Cx<'_>,
        agent: &AgentRow,
        first: Option<DeliveryRow>,
    ) -> Result<Self, OpError> {
        let group = match first {
            Some(first) if first.runs_alone() => {
                return Ok(Self { mail: vec![first], is_full: false });
            }
            first => first.map(|first| first.group_id),
        };
        Self::take(cx, agent.id, group, Room::of_run(cx))
    }

    /// What fits of the deliveries that may be taken together: those that wake come first. Without
    /// a conversation, only those that do not wake.
    pub fn take(
        cx: &Cx<'_>,
        agent: i64,
        group: Option<i64>,
        mut room: Room,
    ) -> Result<Self, OpError> {
        let mut batch = Self { mail: Vec::new(), is_full: false };
        // One more than fits tells whether there is more.
        let most = room.messages.saturating_add(1);
        if let Some(group) = group {
            room.take(delivery::untried_waking(cx.db, agent, group, most)?, &mut batch);
        }
        if !batch.is_full {
            room.take(delivery::quiet(cx.db, agent, most)?, &mut batch);
        }
        batch.mail.sort_by_key(|row| row.seq);
        Ok(batch)
    }

    /// The conversation that it is all of, if it is of one.
    pub fn conversation(&self) -> Option<i64> {
        let group = self.mail.first()?.group_id;
        self.mail.iter().all(|row| row.group_id == group).then_some(group)
    }
}
