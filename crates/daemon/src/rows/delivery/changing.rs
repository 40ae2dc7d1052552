//! What becomes of a delivery, and the counts of its recipient that follow.

use agent_worker_protocol::DeliveryState;

use super::DeliveryRow;
use crate::{
    error::Result,
    rows::{Db, Table, Values, row, sql},
};

/// The states that count as unread.
const UNREAD: &str = "('pending', 'waiting')";

row! {
    /// What stands in the tables while a delivery changes.
    pub struct Before from "deliveries AS d JOIN agent_counts AS c ON c.agent = d.agent" {
        state: DeliveryState = "d.state",
        /// Whether mail of its recipient is held or dead
        has_kept: bool = "c.held > 0 OR c.dead > 0",
    }
}

/// Writing. An operation says so to clients too, with [`DeliveryRow::save`].
impl DeliveryRow {
    /// Changes its row. All that is written to the table goes through here.
    fn write(&self, db: Db<'_>, sql: &'static str, values: impl Values) -> Result<()> {
        if let Some(kept) = db.kept() {
            kept.delivered(self.agent);
        }
        db.change(Table::Deliveries, sql, values)?;
        Ok(())
    }

    /// Stores a new delivery.
    pub fn store(&self, db: Db<'_>) -> Result<()> {
        let sql = "INSERT INTO deliveries (agent, seq, group_id, sender_agent, sender_kind, reason,
                       wakes, solo, state, held_reason, bytes, hop, root, sent_at)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";
        let values = (
            self.agent,
            self.seq,
            self.group_id,
            self.sender_agent,
            self.sender_kind,
            self.reason,
            self.wakes,
            self.solo,
            self.state,
            &self.held_reason,
            self.bytes,
            self.hop,
            self.root,
            self.sent_at,
        );
        self.write(db, sql, values)?;
        self.count(db, None)
    }

    /// Counts that it is in its state, and no longer in the one before.
    fn count(&self, db: Db<'_>, before: Option<DeliveryState>) -> Result<()> {
        const SQL: &str = sql!(
            "UPDATE agent_counts SET unread = unread + (?2 IN ",
            UNREAD,
            ") - (coalesce(?3, '') IN ",
            UNREAD,
            "), held = held + (?2 = 'held') - (?3 IS 'held'),
                 dead = dead + (?2 = 'dead') - (?3 IS 'dead') WHERE agent = ?1"
        );
        db.count(SQL, (self.agent, self.state, before))
    }

    /// Stores what changed. Returns what stood in the tables before.
    pub fn update(&self, db: Db<'_>) -> Result<Before> {
        const BEFORE: &str = sql!(Before::SELECT, " WHERE d.agent = ?1 AND d.seq = ?2");
        let before: Before = db.one(BEFORE, (self.agent, self.seq))?;
        if before.state != self.state {
            self.count(db, Some(before.state))?;
        }
        let sql = "UPDATE deliveries SET state = ?3, run = ?4, attempts = ?5, lost_count = ?6,
                       marked_at = ?7, marked_by = ?8, not_before = ?9, held_reason = ?10,
                       last_error = ?11, hop = ?12, released = ?13
                   WHERE agent = ?1 AND seq = ?2";
        let values = (
            self.agent,
            self.seq,
            self.state,
            self.run,
            self.attempts,
            self.lost_count,
            self.marked_at,
            self.marked_by,
            self.not_before,
            &self.held_reason,
            &self.last_error,
            self.hop,
            self.released,
        );
        self.write(db, sql, values)?;
        Ok(before)
    }
}
