//! Schedules: when agents run by themselves. Each due time is judged once, in one transaction with
//! what comes of it.

use std::ops::ControlFlow;

use agent_worker_protocol::{
    id::MessageId,
    name::Name,
    schedule::{Due, Fire, FireOutcome, Missed, Overlap, RunContext, ScheduleState, ZoneName},
    target::Scope,
    time::Timestamp,
};

use crate::{
    error::OpError,
    rows::{Db, row, sql},
};

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
        max_fires: Option<i64> = "s.max_fires",
        fires: i64 = "s.fires",
        hop: i64 = "s.hop",
        root: Option<i64> = "s.root",
        created_at: Timestamp = "s.created_at",
    }
}

impl ScheduleRow {
    pub fn by_id(db: Db<'_>, id: i64) -> Result<Self, OpError> {
        const SQL: &str = sql!(ScheduleRow::SELECT, " WHERE s.id = ?1");
        db.one(SQL, (id,))
    }

    /// Those of a scope, or of all, by scope and number; only those that go on, or all.
    pub fn all(db: Db<'_>, scope: Option<i64>, also_over: bool) -> Result<Vec<Self>, OpError> {
        const SQL: &str = sql!(
            ScheduleRow::SELECT,
            " WHERE (?1 IS NULL OR s.scope = ?1) AND (?2 OR s.state <> 'completed')
             ORDER BY w.name, w.tag, s.id"
        );
        db.all(SQL, (scope, also_over))
    }

    /// Those of an agent that go on, in the order in which they were made.
    pub fn of_agent(db: Db<'_>, agent: i64) -> Result<Vec<Self>, OpError> {
        const SQL: &str = sql!(
            ScheduleRow::SELECT,
            " WHERE s.agent = ?1 AND s.state <> 'completed' ORDER BY s.id"
        );
        db.all(SQL, (agent,))
    }

    /// The last due time that was judged.
    pub fn last_judged(&self, db: Db<'_>) -> Result<Option<Timestamp>, OpError> {
        db.one("SELECT max(due_at) FROM schedule_fires WHERE schedule = ?1", (self.id,))
    }
}

/// The times of a schedule that were judged last, newest first.
pub fn fires(db: Db<'_>, schedule: i64, limit: u32) -> Result<Vec<Fire>, OpError> {
    let sql = "SELECT due_at, outcome, reason, fired_at FROM schedule_fires
               WHERE schedule = ?1 ORDER BY due_at DESC LIMIT ?2";
    let found: Vec<(Timestamp, FireOutcome, Option<String>, Timestamp)> =
        db.all(sql, (schedule, limit))?;
    Ok(found.into_iter().map(fire).collect())
}

/// The newest time of a schedule that is wanted, if there is one.
pub fn newest_fire(
    db: Db<'_>,
    schedule: i64,
    mut is_wanted: impl FnMut(&Fire) -> bool,
) -> Result<Option<Fire>, OpError> {
    let sql = "SELECT due_at, outcome, reason, fired_at FROM schedule_fires
               WHERE schedule = ?1 ORDER BY due_at DESC";
    let mut found = None;
    db.each(sql, (schedule,), |row| {
        found = Some(fire(row)).filter(&mut is_wanted);
        if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(found)
}

/// What the runs remember that the schedule of a message leads to.
pub fn context_of(db: Db<'_>, agent: i64, message: MessageId) -> Result<RunContext, OpError> {
    let sql = "SELECT s.context FROM schedule_fires AS f INDEXED BY schedule_fires_of_message
               JOIN schedules AS s ON s.id = f.schedule
               WHERE f.reason = ?1 AND f.outcome = 'ran' AND s.agent = ?2";
    let found: Option<Option<RunContext>> = db.maybe(sql, (message.to_string(), agent))?;
    Ok(found.flatten().unwrap_or_default())
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
