//! Schedules: when agents run by themselves. Each due time is judged once, in one transaction with
//! what comes of it.

mod fire;

use agent_worker_protocol::{
    Due, MessageId, Missed, Name, Overlap, RunContext, ScheduleState, Scope, Timestamp, ZoneName,
};

use crate::{
    error::Result,
    rows::{Db, Table, row, statements, table},
};

pub use fire::{NEWEST_RAN, NEWEST_TELLING, NewFire, fires, forget_fires_after, newest, note_fire};

row! {
    /// A schedule, with the names of its scope and its agent.
    #[derive(Debug, Clone)]
    pub struct ScheduleRow from
        "schedules AS s JOIN workflows AS w ON w.id = s.scope JOIN agents AS a ON a.id = s.agent"
    {
        id: i64 = "s.id",
        scope_id: i64 = "s.scope",
        scope: Scope = "'@' || w.name || ':' || w.tag",
        agent: i64 = "s.agent",
        agent_name: Name = "a.name",
        name: Name = "s.name",
        maker: Name = "s.maker",
        spec: Due = "s.spec",
        prompt: Option<String> = "s.prompt",
        timezone: ZoneName = "s.timezone",
        only_if_unread: bool = "s.only_if_unread",
        overlap: Overlap = "s.overlap",
        missed: Missed = "s.missed",
        context: RunContext = "coalesce(s.context, 'main')",
        anchor_at: Timestamp = "s.anchor_at",
        next_due: Option<Timestamp> = "s.next_due",
        state: ScheduleState = "s.state",
        /// The member that paused it; none if the daemon did, or it is not paused
        paused_by: Option<Name> = "s.paused_by",
        max_fires: Option<i64> = "s.max_fires",
        fires: i64 = "s.fires",
        hop: i64 = "s.hop",
        root: Option<i64> = "s.root",
        created_at: Timestamp = "s.created_at",
    }
}

table! {
    /// A schedule that is made.
    pub struct NewRow<'a> into Schedules {
        scope: i64,
        agent: i64,
        name: &'a Name,
        maker: &'a Name,
        spec: &'a Due,
        prompt: Option<&'a str>,
        timezone: &'a ZoneName,
        only_if_unread: bool,
        overlap: Overlap,
        missed: Missed,
        context: RunContext,
        anchor_at: Timestamp,
        next_due: Option<Timestamp>,
        state: ScheduleState,
        max_fires: Option<i64>,
        hop: i64,
        created_at: Timestamp,
    }
}

impl ScheduleRow {
    statements! {
        pub fn by_id(id: i64) -> one Self = ScheduleRow::SELECT, " WHERE s.id = ?1";

        /// Those of a scope, or of all, by scope and number; only those that go on, or all.
        pub fn all(scope: Option<i64>, also_over: bool) -> all Self =
            ScheduleRow::SELECT,
            " WHERE (?1 IS NULL OR s.scope = ?1) AND (?2 OR s.state <> 'completed')
                ORDER BY w.name, w.tag, s.id";

        /// Those of an agent that go on, in the order in which they were made.
        pub fn of_agent(agent: i64) -> all Self =
            ScheduleRow::SELECT, " WHERE s.agent = ?1 AND s.state <> 'completed' ORDER BY s.id";

        /// Whether a due time was judged.
        pub fn is_judged(&self, due_at: Timestamp) -> exists =
            "SELECT 1 FROM schedule_fires WHERE schedule = ?1 AND due_at = ?2";

        /// The last due time that was judged.
        pub fn last_judged(&self) -> one Option<Timestamp> =
            "SELECT max(due_at) FROM schedule_fires WHERE schedule = ?1";
    }

    /// How often it may still fire; `None` without a limit.
    pub fn fires_left(&self) -> Option<i64> {
        self.max_fires.map(|most| (most - self.fires).max(0))
    }

    /// The schedule that has sent an agent a message; `None` if the message is of no schedule.
    pub fn of_message(db: Db<'_>, agent: i64, message: MessageId) -> Result<Option<Self>> {
        let sql = "SELECT s.id FROM schedule_fires AS f INDEXED BY schedule_fires_of_message
                   JOIN schedules AS s ON s.id = f.schedule
                   WHERE f.reason = ?1 AND f.outcome = 'ran' AND s.agent = ?2";
        let id: Option<i64> = db.maybe(sql, (message.to_string(), agent))?;
        id.map(|id| Self::by_id(db, id)).transpose()
    }

    /// Those that are due, in the order of their times.
    pub fn due(db: Db<'_>, now: Timestamp) -> Result<Vec<Self>> {
        let sql = "SELECT id FROM schedules INDEXED BY schedules_due
                   WHERE state = 'active' AND next_due <= ?1 ORDER BY next_due, id";
        let ids: Vec<i64> = db.all(sql, (now,))?;
        ids.into_iter().map(|id| Self::by_id(db, id)).collect()
    }

    /// Stores what changes of it. Who paused it is forgotten when it goes on or ends.
    pub fn update(&self, db: Db<'_>) -> Result<()> {
        let sql = "UPDATE schedules SET anchor_at = ?2, next_due = ?3, state = ?4, fires = ?5,
                       paused_by = ?6
                   WHERE id = ?1";
        let paused_by = self.paused_by.as_ref().filter(|_| self.state == ScheduleState::Paused);
        let values = (self.id, self.anchor_at, self.next_due, self.state, self.fires, paused_by);
        db.change(Table::Schedules, sql, values).map(drop)
    }
}

statements! {
    /// The last run of an agent's tasks that have ended, or that a new task of this name replaces.
    pub fn last_of_ended(agent: i64, maker: &Name, replaced: &Name, now: Timestamp)
        -> one Option<Timestamp> =
        "SELECT max(f.due_at) FROM schedules AS s
            CROSS JOIN schedule_fires AS f INDEXED BY schedule_fires_ran
                ON f.schedule = s.id AND f.outcome = 'ran' AND f.due_at <= ?4
            WHERE s.agent = ?1 AND s.maker = ?2 AND (s.state = 'completed' OR s.name = ?3)";

    /// When the next schedule is due.
    pub fn next_due(now: Timestamp) -> one Option<Timestamp> =
        "SELECT min(next_due) FROM schedules INDEXED BY schedules_due
            WHERE state = 'active' AND next_due > ?1";

    /// Has the times of a scope's schedules count from now.
    pub fn restart_of_scope(scope: i64, now: Timestamp) -> change in Schedules =
        "UPDATE schedules SET anchor_at = ?2 WHERE scope = ?1 AND state <> 'completed'";
}

/// Removes due times from before a time, and completed schedules with the last of theirs. Tells
/// whether any due time was removed. Of any other schedule the newest message stays known: it may
/// still be open.
pub fn forget(db: Db<'_>, before: Timestamp, at_once: i64) -> Result<bool> {
    let sql = "DELETE FROM schedule_fires WHERE (schedule, due_at) IN (
                   SELECT f.schedule, f.due_at FROM schedules AS s CROSS JOIN schedule_fires AS f
                       ON f.schedule = s.id AND f.due_at < ?1
                   WHERE s.state = 'completed' OR f.due_at IS NOT (
                       SELECT max(r.due_at) FROM schedule_fires AS r INDEXED BY schedule_fires_ran
                       WHERE r.schedule = s.id AND r.outcome = 'ran')
                   LIMIT ?2)";
    let removed = db.change(Table::ScheduleFires, sql, (before, at_once))?;
    let sql = "DELETE FROM schedules AS s WHERE s.state = 'completed' AND s.created_at < ?1
               AND NOT EXISTS (SELECT 1 FROM schedule_fires AS f WHERE f.schedule = s.id)";
    db.change(Table::Schedules, sql, (before,))?;
    Ok(removed > 0)
}
