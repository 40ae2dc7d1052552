//! Schedules: when agents run by themselves. Each due time is judged once, in one transaction with
//! what comes of it.

use agent_worker_protocol::{
    event::EventBody,
    id::{MessageId, RunId, ScheduleId},
    name::Name,
    schedule::{
        Due, Fire, FireOutcome, Fired, Missed, Overlap, RunContext, Schedule, ScheduleDetail,
        ScheduleDetails, ScheduleList, ScheduleShow, ScheduleState, Schedules, ZoneName,
    },
    target::{Scope, Target},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{
    context::cx::Cx,
    error::OpError,
    ops::list::Run,
    rows::{delivery, word::Word, workflow::scope_from_row},
    rules::schedule::due::Times,
};

/// Past due times that are shown.
pub const SHOWN: u32 = 10;

/// Next due times that are shown.
pub const NEXT: usize = 5;

#[derive(Debug, Clone)]
pub struct ScheduleRow {
    pub id: i64,
    pub scope_id: i64,
    scope: Scope,
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
    created_at: Timestamp,
}

pub const COLUMNS: &str = "s.id, s.scope, w.name AS workflow, w.tag, s.agent, a.name AS agent_name,
    s.name, s.maker, s.spec, s.prompt, s.timezone, s.only_if_unread, s.overlap, s.missed,
    s.context, s.anchor_at, s.next_due, s.state, s.max_fires, s.fires, s.hop, s.root, s.created_at";

pub const TABLES: &str = "schedules AS s JOIN workflows AS w ON w.id = s.scope
    JOIN agents AS a ON a.id = s.agent";

impl ScheduleRow {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
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

    pub fn times(&self) -> Result<Times, String> {
        Times::of(&self.spec, &self.timezone, self.anchor_at)
    }

    pub fn entity(&self, conn: &Connection) -> Result<Schedule, OpError> {
        Ok(Schedule {
            id: ScheduleId::new(self.id),
            scope: self.scope.clone(),
            agent: Target::member(self.agent_name.clone(), self.scope.clone()),
            name: self.name.clone(),
            maker: self.maker.clone(),
            spec: self.spec.clone(),
            timezone: self.timezone.clone(),
            prompt: self.prompt.clone(),
            only_if_unread: self.only_if_unread,
            overlap: self.overlap,
            missed: self.missed,
            context: self.context,
            max_fires: self.max_fires,
            fires: self.fires,
            state: self.state,
            next_due: self.next_due,
            last: fires(conn, self.id, 1)?.pop(),
            created_at: self.created_at,
        })
    }

    /// Stores what changes of it, and announces it.
    pub fn save(&self, cx: &mut Cx<'_>) -> Result<(), OpError> {
        let sql = "UPDATE schedules SET anchor_at = ?2, next_due = ?3, state = ?4, fires = ?5
                   WHERE id = ?1";
        cx.conn.prepare_cached(sql)?.execute(params![
            self.id,
            self.anchor_at.0,
            self.next_due.map(|at| at.0),
            Word(self.state),
            self.fires
        ])?;
        announce(cx, self)
    }
}

/// Announces a schedule as it now stands.
pub fn announce(cx: &mut Cx<'_>, row: &ScheduleRow) -> Result<(), OpError> {
    let schedule = row.entity(cx.conn)?;
    cx.emit(&row.scope, EventBody::ScheduleChanged(Box::new(schedule)))
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

/// The schedules that go on, of a scope or of all.
pub fn live(conn: &Connection, scope: Option<i64>) -> Result<Vec<Schedule>, OpError> {
    ScheduleRow::all(conn, scope, false)?.iter().map(|row| row.entity(conn)).collect()
}

/// The schedules of an agent that go on.
pub fn of_agent(conn: &Connection, agent: i64) -> Result<Vec<Schedule>, OpError> {
    ScheduleRow::of_agent(conn, agent)?.iter().map(|row| row.entity(conn)).collect()
}

/// Where the stored next time is none of the schedule's times: its id and the time.
pub fn astray(conn: &Connection) -> Result<Vec<(ScheduleId, Timestamp)>, OpError> {
    let rows = ScheduleRow::all(conn, None, false)?;
    let is_astray = |row: &ScheduleRow| {
        let due = row.next_due?;
        let is_one = row.times().is_ok_and(|times| times.has(due));
        (!is_one).then_some((ScheduleId::new(row.id), due))
    };
    Ok(rows.iter().filter_map(is_astray).collect())
}

impl Run for ScheduleList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Schedules, OpError> {
        let rows = match &cx.target {
            None if cx.is_person() => ScheduleRow::all(cx.conn, None, self.all)?,
            target => {
                let name = target.as_ref().and_then(|target| target.name.clone());
                let mut rows = ScheduleRow::all(cx.conn, Some(cx.scope()?.id), self.all)?;
                rows.retain(|row| name.as_ref().is_none_or(|name| *name == row.agent_name));
                rows
            }
        };
        let schedules = rows.iter().map(|row| row.entity(cx.conn)).collect::<Result<_, _>>()?;
        Ok(Schedules { schedules })
    }
}

impl Run for ScheduleShow {
    fn run(&self, cx: &mut Cx<'_>) -> Result<ScheduleDetails, OpError> {
        let agent = cx.locate_member(&self.target)?;
        let rows = ScheduleRow::of_agent(cx.conn, agent.id)?;
        let schedules = rows.iter().map(|row| detail(cx, row)).collect::<Result<_, _>>()?;
        Ok(ScheduleDetails { schedules })
    }
}

pub fn detail(cx: &Cx<'_>, row: &ScheduleRow) -> Result<ScheduleDetail, OpError> {
    let fired = fires(cx.conn, row.id, SHOWN)?.into_iter().map(|fire| {
        let given = match fire.message {
            Some(message) => delivery::find(cx.conn, row.agent, message.number())?,
            None => None,
        };
        Ok(Fired { fire, run: given.and_then(|given| given.run).map(RunId::new) })
    });
    let before = row.next_due.map(|due| Timestamp(due.0 - 1));
    let next = before.zip(row.times().ok()).map(|(before, times)| times.next(before, NEXT));
    Ok(ScheduleDetail {
        schedule: row.entity(cx.conn)?,
        next: next.unwrap_or_default(),
        fired: fired.collect::<Result<_, OpError>>()?,
    })
}
