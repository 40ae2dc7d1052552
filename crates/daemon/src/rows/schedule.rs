//! Schedules: when agents run by themselves. Each due time is judged once, in one transaction with
//! what comes of it.

use agent_worker_protocol::{
    id::MessageId,
    name::Name,
    schedule::{Due, Fire, FireOutcome, Missed, Overlap, RunContext, ScheduleState, ZoneName},
    target::Scope,
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{
    error::OpError,
    rows::{word::Word, workflow::scope_from_row},
};

#[derive(Debug, Clone)]
pub struct ScheduleRow {
    pub id: i64,
    pub scope_id: i64,
    pub scope: Scope,
    pub agent: i64,
    pub agent_name: Name,
    pub name: Name,
    pub maker: Name,
    pub spec: Due,
    pub prompt: Option<String>,
    pub timezone: ZoneName,
    pub only_if_unread: bool,
    pub overlap: Overlap,
    pub missed: Missed,
    pub context: RunContext,
    pub anchor_at: Timestamp,
    pub next_due: Option<Timestamp>,
    pub state: ScheduleState,
    pub max_fires: Option<i64>,
    pub fires: i64,
    pub hop: i64,
    pub root: Option<i64>,
    pub created_at: Timestamp,
}

pub const COLUMNS: &str = "s.id, s.scope, w.name AS workflow, w.tag, s.agent, a.name AS agent_name,
    s.name, s.maker, s.spec, s.prompt, s.timezone, s.only_if_unread, s.overlap, s.missed,
    s.context, s.anchor_at, s.next_due, s.state, s.max_fires, s.fires, s.hop, s.root, s.created_at";

pub const TABLES: &str = "schedules AS s JOIN workflows AS w ON w.id = s.scope
    JOIN agents AS a ON a.id = s.agent";

impl ScheduleRow {
    pub fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let at = |column: &str| row.get::<_, Option<i64>>(column).map(|at| at.map(Timestamp));
        Ok(Self {
            id: row.get("id")?,
            scope_id: row.get("scope")?,
            scope: scope_from_row(row, "workflow", "tag")?,
            agent: row.get("agent")?,
            agent_name: row.get::<_, Word<Name>>("agent_name")?.0,
            name: row.get::<_, Word<Name>>("name")?.0,
            maker: row.get::<_, Word<Name>>("maker")?.0,
            spec: row.get::<_, Word<Due>>("spec")?.0,
            prompt: row.get("prompt")?,
            timezone: row.get::<_, Word<ZoneName>>("timezone")?.0,
            only_if_unread: row.get("only_if_unread")?,
            overlap: row.get::<_, Word<Overlap>>("overlap")?.0,
            missed: row.get::<_, Word<Missed>>("missed")?.0,
            context: row
                .get::<_, Option<Word<RunContext>>>("context")?
                .map(|word| word.0)
                .unwrap_or_default(),
            anchor_at: Timestamp(row.get("anchor_at")?),
            next_due: at("next_due")?,
            state: row.get::<_, Word<ScheduleState>>("state")?.0,
            max_fires: row.get("max_fires")?,
            fires: row.get("fires")?,
            hop: row.get("hop")?,
            root: row.get("root")?,
            created_at: Timestamp(row.get("created_at")?),
        })
    }

    pub fn by_id(conn: &Connection, id: i64) -> Result<Self, OpError> {
        let sql = format!("SELECT {COLUMNS} FROM {TABLES} WHERE s.id = ?1");
        Ok(conn.prepare_cached(&sql)?.query_row([id], Self::from_row)?)
    }

    /// Those of a scope, or of all, by scope and number; only those that go on, or all.
    pub fn all(
        conn: &Connection,
        scope: Option<i64>,
        also_over: bool,
    ) -> Result<Vec<Self>, OpError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM {TABLES}
             WHERE (?1 IS NULL OR s.scope = ?1) AND (?2 OR s.state <> 'completed')
             ORDER BY w.name, w.tag, s.id"
        );
        let mut statement = conn.prepare_cached(&sql)?;
        let rows = statement.query_map(params![scope, also_over], Self::from_row)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Those of an agent that go on, in the order in which they were made.
    pub fn of_agent(conn: &Connection, agent: i64) -> Result<Vec<Self>, OpError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM {TABLES}
             WHERE s.agent = ?1 AND s.state <> 'completed' ORDER BY s.id"
        );
        let mut statement = conn.prepare_cached(&sql)?;
        Ok(statement.query_map([agent], Self::from_row)?.collect::<Result<_, _>>()?)
    }
}

/// The times of a schedule that were judged last, newest first.
pub fn fires(conn: &Connection, schedule: i64, limit: u32) -> Result<Vec<Fire>, OpError> {
    let sql = "SELECT due_at, outcome, reason, fired_at FROM schedule_fires
               WHERE schedule = ?1 ORDER BY due_at DESC LIMIT ?2";
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map(params![schedule, limit], fire_from_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// What the runs remember that the schedule of a message leads to.
pub fn context_of(
    conn: &Connection,
    agent: i64,
    message: MessageId,
) -> Result<RunContext, OpError> {
    let sql = "SELECT s.context FROM schedule_fires AS f INDEXED BY schedule_fires_of_message
               JOIN schedules AS s ON s.id = f.schedule
               WHERE f.reason = ?1 AND f.outcome = 'ran' AND s.agent = ?2";
    let found: Option<Option<Word<RunContext>>> = conn
        .prepare_cached(sql)?
        .query_row(params![message.to_string(), agent], |row| row.get(0))
        .optional()?;
    Ok(found.flatten().map(|word| word.0).unwrap_or_default())
}

/// Where a time has led to a message, the message stands where the reason else does.
pub fn fire_from_row(row: &Row<'_>) -> rusqlite::Result<Fire> {
    let reason: Option<String> = row.get("reason")?;
    let outcome = row.get::<_, Word<FireOutcome>>("outcome")?.0;
    let message = reason.as_deref().and_then(|reason| reason.parse::<MessageId>().ok());
    Ok(Fire {
        due_at: Timestamp(row.get("due_at")?),
        outcome,
        reason: reason.filter(|_| outcome == FireOutcome::Skipped),
        message: message.filter(|_| outcome == FireOutcome::Ran),
        fired_at: Timestamp(row.get("fired_at")?),
    })
}
