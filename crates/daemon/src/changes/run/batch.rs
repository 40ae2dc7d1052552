//! Which pending deliveries a run takes together: those that wake its agent in one conversation,
//! and those of every conversation that do not wake it.

use crate::{
    context::Cx,
    error::Result,
    rows::{DeliveryRow, delivery},
};

/// How much a run takes at once.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    pub messages: u32,
    /// Bytes of their texts
    pub bytes: i64,
    /// Whether a first message is taken whatever its size
    pub takes_one: bool,
    /// The page that shows them
    pub space: Space,
}

/// A page that shows mail, and how much of it waking mail takes. Other mail that is longer than
/// the rest would never fit, so a head of it is shown.
#[derive(Debug, Clone, Copy)]
pub struct Space {
    bytes: i64,
    waking: i64,
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
        Self::of_page(inbox.messages, inbox.bytes)
    }

    /// An empty page of this size.
    pub fn of_page(messages: u32, bytes: u32) -> Self {
        let bytes = i64::from(bytes);
        Self { messages, bytes, takes_one: true, space: Space::of(bytes, &[]) }
    }

    /// Takes what fits, in order. Waking mail that does not fit keeps its place before later mail;
    /// other mail does not, so that a long message keeps no short one waiting.
    fn take(&mut self, rows: Vec<DeliveryRow>, batch: &mut Batch) {
        for row in rows {
            let bytes = self.space.bytes_of(&row);
            let fits = self.messages > 0 && (bytes <= self.bytes || self.takes_one);
            batch.is_full |= !fits;
            if !fits && row.wakes {
                return;
            }
            if fits {
                self.messages -= 1;
                self.bytes -= bytes;
                self.takes_one = false;
                self.space.add(&row);
                batch.mail.push(row);
            }
        }
    }
}

impl Space {
    /// A page of this many bytes with this mail.
    pub fn of(bytes: i64, mail: &[DeliveryRow]) -> Self {
        let mut space = Self { bytes, waking: 0 };
        for row in mail {
            space.add(row);
        }
        space
    }

    fn add(&mut self, row: &DeliveryRow) {
        if row.wakes {
            self.waking += row.bytes;
        }
    }

    /// Bytes of the head that is shown of a delivery, or `None` if it is shown whole.
    pub fn head(self, row: &DeliveryRow) -> Option<i64> {
        let rest = if self.waking < self.bytes { self.bytes - self.waking } else { self.bytes };
        (!row.wakes && row.bytes > rest).then_some(self.bytes / 8)
    }

    /// Bytes that a delivery takes of the page.
    pub fn bytes_of(self, row: &DeliveryRow) -> i64 {
        self.head(row).map_or(row.bytes, |head| head.min(row.bytes))
    }
}

impl Batch {
    /// One delivery and nothing else, for which there is always room.
    pub fn alone(mail: DeliveryRow) -> Self {
        Self { mail: vec![mail], is_full: false }
    }

    /// What fits of the deliveries that may be taken together: those that wake, of one
    /// conversation, come first, and then those that do not wake. What is left of these becomes the
    /// oldest, and then it fits beside the waking mail, or a head of it does.
    pub fn take(cx: &Cx<'_>, agent: i64, waking: Vec<DeliveryRow>, mut room: Room) -> Result<Self> {
        let mut batch = Self { mail: Vec::new(), is_full: false };
        // One more than fits tells whether there is more.
        let most = room.messages.saturating_add(1);
        room.take(waking, &mut batch);
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
