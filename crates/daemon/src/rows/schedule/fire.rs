//! What became of the due times of schedules.

use agent_worker_protocol::{Fire, FireOutcome, MessageId, Timestamp};

use crate::{
    error::Result,
    rows::{Db, Table, layer::row::New as _, sql, table},
};

table! {
    /// What became of a due time.
    pub struct NewFire<'a> into ScheduleFires {
        schedule: i64,
        due_at: Timestamp,
        outcome: FireOutcome,
        reason: &'a str,
        fired_at: Timestamp,
    }
}

/// The times of a schedule that were judged last, newest first.
pub fn fires(db: Db<'_>, schedule: i64, limit: u32) -> Result<Vec<Fire>> {
    let sql = "SELECT due_at, outcome, reason, fired_at FROM schedule_fires
               WHERE schedule = ?1 ORDER BY due_at DESC LIMIT ?2";
    let found: Vec<(Timestamp, FireOutcome, Option<String>, Timestamp)> =
        db.all(sql, (schedule, limit))?;
    Ok(found.into_iter().map(fire).collect())
}

/// The newest time of a schedule that sent a message.
pub const NEWEST_RAN: &str = "SELECT due_at, outcome, reason, fired_at FROM schedule_fires
        INDEXED BY schedule_fires_ran
    WHERE schedule = ?1 AND outcome = 'ran' ORDER BY due_at DESC LIMIT 1";

/// The newest time of a schedule that tells whether the last run was over. The reasons that do not
/// are `OVERLAP`, `SCHEDULE_PAUSED`, `SCOPE_STOPPED` and `TURN_NOT_COME`, alone or for all times
/// before, and `OVERLAP` with what holds the last message.
pub const NEWEST_TELLING: &str = "SELECT due_at, outcome, reason, fired_at FROM schedule_fires
        INDEXED BY schedule_fires_telling
    WHERE schedule = ?1 AND reason <> 'overlap' AND reason NOT GLOB 'overlap, *'
        AND reason NOT GLOB 'paused: the schedule was paused*'
        AND reason NOT GLOB 'stopped: its workflow did not run*'
    ORDER BY due_at DESC LIMIT 1";

/// The time of a schedule that one of these queries finds.
pub fn newest(db: Db<'_>, sql: &'static str, schedule: i64) -> Result<Option<Fire>> {
    Ok(db.maybe(sql, (schedule,))?.map(fire))
}

/// Notes what became of a due time, unless that is known already.
pub fn note_fire(db: Db<'_>, fire: &NewFire<'_>) -> Result<()> {
    const SQL: &str = sql!(<NewFire<'_>>::INSERT, " ON CONFLICT (schedule, due_at) DO NOTHING");
    db.change(Table::ScheduleFires, SQL, fire).map(drop)
}

/// Removes what a schedule judged after a time.
pub fn forget_fires_after(db: Db<'_>, schedule: i64, after: Timestamp) -> Result<()> {
    let sql = "DELETE FROM schedule_fires WHERE schedule = ?1 AND fired_at > ?2";
    db.change(Table::ScheduleFires, sql, (schedule, after)).map(drop)
}

/// Where a time has led to a message, the message stands where the reason else does.
fn fire(row: (Timestamp, FireOutcome, Option<String>, Timestamp)) -> Fire {
    let (due_at, outcome, reason, fired_at) = row;
    let message = reason.as_deref().and_then(|reason| reason.parse::<MessageId>().ok());
    Fire {
        due_at,
        outcome,
        reason: reason.filter(|_| outcome == FireOutcome::Skipped),
        message: message.filter(|_| outcome == FireOutcome::Ran),
        fired_at,
    }
}
