//! Runs: rows, entities, and how people end them.

use agent_worker_protocol::{
    event::EventBody,
    id::{MessageId, RunId},
    inbox::{Deliveries, DeliveryState},
    name::Name,
    run::{
        FailureClass, ModelAway, Run as RunEntity, RunCancel, RunDetail, RunKind, RunList,
        RunRetry, RunShow, RunState, Runs, Usage,
    },
    target::{Scope, Target},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use crate::{
    changes::run::{
        finish::{self, Ended},
        session,
    },
    context::{cx::Cx, limit},
    error::OpError,
    ops::list::Run,
    rows::{
        agent::AgentRow,
        delivery, question,
        word::{Json, Word},
        workflow::{self, ScopeRow},
    },
    rules::budget,
};

/// How a run ends that does not succeed. Stopping an agent is a cancel that gives the mail back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndClass {
    Transient,
    TimedOut,
    Unavailable,
    Overflow,
    Permanent,
    Lost,
    OverBudget,
    Cancelled,
    Stopped,
}

impl From<FailureClass> for EndClass {
    fn from(class: FailureClass) -> Self {
        match class {
            FailureClass::Transient => Self::Transient,
            FailureClass::TimedOut => Self::TimedOut,
            FailureClass::Unavailable => Self::Unavailable,
            FailureClass::Overflow => Self::Overflow,
            FailureClass::Permanent => Self::Permanent,
            FailureClass::Lost => Self::Lost,
            FailureClass::OverBudget => Self::OverBudget,
            FailureClass::Cancelled => Self::Cancelled,
        }
    }
}

impl EndClass {
    /// As people see it.
    pub fn class(self) -> FailureClass {
        match self {
            Self::Transient => FailureClass::Transient,
            Self::TimedOut => FailureClass::TimedOut,
            Self::Unavailable => FailureClass::Unavailable,
            Self::Overflow => FailureClass::Overflow,
            Self::Permanent => FailureClass::Permanent,
            Self::Lost => FailureClass::Lost,
            Self::OverBudget => FailureClass::OverBudget,
            Self::Cancelled | Self::Stopped => FailureClass::Cancelled,
        }
    }

    /// The state of a run that ended so.
    pub fn state(self) -> RunState {
        match self {
            Self::Transient | Self::Unavailable | Self::Overflow | Self::Permanent => {
                RunState::Failed
            }
            Self::TimedOut => RunState::TimedOut,
            Self::Lost => RunState::Lost,
            Self::OverBudget => RunState::OverBudget,
            Self::Cancelled | Self::Stopped => RunState::Cancelled,
        }
    }
}

#[derive(Debug, Clone)]
pub struct RunRow {
    pub id: RunId,
    pub scope_id: i64,
    pub scope: Scope,
    pub agent: i64,
    pub agent_name: Name,
    pub agent_removed: bool,
    pub generation: i64,
    pub kind: RunKind,
    pub group_id: Option<i64>,
    pub cause: Option<i64>,
    pub attempt: i64,
    pub retry_of: Option<i64>,
    pub solo: bool,
    pub lease_seq: i64,
    pub hop: i64,
    pub root: Option<i64>,
    pub state: RunState,
    pub class: Option<FailureClass>,
    pub error: Option<String>,
    pub end_by: Option<Timestamp>,
    pub end_class: Option<EndClass>,
    pub end_error: Option<String>,
    pub activity: Option<String>,
    pub away: Option<ModelAway>,
    pub spoke_at: Option<Timestamp>,
    pub is_silent: bool,
    pub model: Option<String>,
    pub backend: Option<String>,
    pub usage: Usage,
    pub cost: Option<i64>,
    pub exit: Option<i32>,
    pub signal: Option<i32>,
    pub pid: Option<i64>,
    pub pid_started: Option<i64>,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

pub const COLUMNS: &str = "r.id, r.scope, w.name AS workflow, w.tag, r.agent, a.name AS agent_name,
    a.removed_at IS NOT NULL AS agent_removed, r.generation, r.kind, r.group_id, r.cause, r.attempt, r.retry_of, r.solo, r.lease_seq, r.hop,
    r.root, r.state, r.class, r.error, r.end_by, r.end_class, r.end_error, r.activity, r.away,
    r.spoke_at, r.is_silent, r.model,
    r.backend, r.input_tokens, r.output_tokens, r.cache_read, r.cache_write, r.reasoning_tokens,
    r.cost, r.exit, r.signal, r.pid, r.pid_started, r.started_at, r.ended_at";

pub const TABLES: &str =
    "runs AS r JOIN workflows AS w ON w.id = r.scope JOIN agents AS a ON a.id = r.agent";

/// The states of a live run, for SQL that uses the partial indexes.
pub const LIVE: &str = "('starting', 'running', 'ending')";

impl RunRow {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: RunId::new(row.get("id")?),
            scope_id: row.get("scope")?,
            scope: workflow::scope_from_row(row, "workflow", "tag")?,
            agent: row.get("agent")?,
            agent_name: row.get::<_, Word<Name>>("agent_name")?.0,
            agent_removed: row.get("agent_removed")?,
            generation: row.get("generation")?,
            kind: row.get::<_, Word<RunKind>>("kind")?.0,
            group_id: row.get("group_id")?,
            cause: row.get("cause")?,
            attempt: row.get("attempt")?,
            retry_of: row.get("retry_of")?,
            solo: row.get("solo")?,
            lease_seq: row.get("lease_seq")?,
            hop: row.get("hop")?,
            root: row.get("root")?,
            state: row.get::<_, Word<RunState>>("state")?.0,
            class: row.get::<_, Option<Word<FailureClass>>>("class")?.map(|word| word.0),
            error: row.get("error")?,
            end_by: row.get::<_, Option<i64>>("end_by")?.map(Timestamp),
            end_class: row.get::<_, Option<Word<EndClass>>>("end_class")?.map(|word| word.0),
            end_error: row.get("end_error")?,
            activity: row.get("activity")?,
            away: row.get::<_, Option<Json<ModelAway>>>("away")?.map(|json| json.0),
            spoke_at: row.get::<_, Option<i64>>("spoke_at")?.map(Timestamp),
            is_silent: row.get("is_silent")?,
            model: row.get("model")?,
            backend: row.get("backend")?,
            usage: Usage {
                input: row.get("input_tokens")?,
                output: row.get("output_tokens")?,
                cache_read: row.get("cache_read")?,
                cache_write: row.get("cache_write")?,
                reasoning: row.get("reasoning_tokens")?,
            },
            cost: row.get("cost")?,
            exit: row.get("exit")?,
            signal: row.get("signal")?,
            pid: row.get("pid")?,
            pid_started: row.get("pid_started")?,
            started_at: Timestamp(row.get("started_at")?),
            ended_at: row.get::<_, Option<i64>>("ended_at")?.map(Timestamp),
        })
    }

    /// The run, if there is one.
    pub fn find(conn: &Connection, id: RunId) -> Result<Option<Self>, OpError> {
        let sql = format!("SELECT {COLUMNS} FROM {TABLES} WHERE r.id = ?1");
        Ok(conn.prepare_cached(&sql)?.query_row([id.number()], Self::from_row).optional()?)
    }

    pub fn by_id(conn: &Connection, id: RunId) -> Result<Self, OpError> {
        Self::find(conn, id)?.ok_or_else(|| OpError::not_found(format!("run `{id}` not found")))
    }

    /// The live run of a token. An ended run is refused and changes nothing.
    pub fn by_token(conn: &Connection, hash: &[u8; 32]) -> Result<Self, OpError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM {TABLES} WHERE r.token_hash = ?1 AND r.token_hash IS NOT NULL"
        );
        let run = conn.prepare_cached(&sql)?.query_row([hash], Self::from_row).optional()?;
        match run {
            None => Err(OpError::unauthorized("invalid token")),
            Some(run) if run.takes_calls() => Ok(run),
            Some(run) => Err(OpError::run_ended(format!("{} has ended", run.id))),
        }
    }

    /// Whether a run has, or had, a token of this hash.
    pub fn has_token(conn: &Connection, hash: &[u8; 32]) -> Result<bool, OpError> {
        let sql = "SELECT 1 FROM runs WHERE token_hash = ?1 AND token_hash IS NOT NULL";
        Ok(conn.prepare_cached(sql)?.exists([hash])?)
    }

    /// The number of an agent's live run.
    pub fn live_of(conn: &Connection, agent: i64) -> Result<Option<RunId>, OpError> {
        let sql = format!(
            "SELECT id FROM runs INDEXED BY runs_live WHERE agent = ?1 AND state IN {LIVE}"
        );
        let found: Option<i64> =
            conn.prepare_cached(&sql)?.query_row([agent], |row| row.get(0)).optional()?;
        Ok(found.map(RunId::new))
    }

    /// The run that a member outside has open.
    pub fn open_outside(conn: &Connection, agent: i64) -> Result<Option<Self>, OpError> {
        let Some(id) = Self::live_of(conn, agent)? else { return Ok(None) };
        Ok(Self::find(conn, id)?.filter(|run| run.kind == RunKind::External))
    }

    pub fn live(conn: &Connection) -> Result<Vec<Self>, OpError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM runs AS r INDEXED BY runs_live
             JOIN workflows AS w ON w.id = r.scope JOIN agents AS a ON a.id = r.agent
             WHERE r.state IN {LIVE} ORDER BY r.id"
        );
        query(conn, &sql, [])
    }

    /// The live runs of a scope.
    pub fn live_of_scope(conn: &Connection, scope: i64) -> Result<Vec<Self>, OpError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM runs AS r INDEXED BY runs_live_of_scope
             JOIN workflows AS w ON w.id = r.scope JOIN agents AS a ON a.id = r.agent
             WHERE r.scope = ?1 AND r.state IN {LIVE} ORDER BY r.id"
        );
        query(conn, &sql, [scope])
    }

    /// Whether its token is alive: neither its end is decided nor its agent gone.
    fn takes_calls(&self) -> bool {
        matches!(self.state, RunState::Starting | RunState::Running) && !self.agent_removed
    }

    pub fn target(&self) -> Target {
        Target::member(self.agent_name.clone(), self.scope.clone())
    }

    pub fn entity(&self) -> RunEntity {
        RunEntity {
            id: self.id,
            agent: self.target(),
            scope: self.scope.clone(),
            kind: self.kind,
            cause: self.cause.map(MessageId::new),
            attempt: self.attempt,
            state: self.state,
            class: self.class,
            error: self.error.clone(),
            activity: self.activity.clone(),
            away: self.away.clone(),
            spoke_at: self.spoke_at,
            model: self.model.clone(),
            backend: self.backend.clone(),
            usage: self.usage,
            cost: self.cost.map(budget::dollars),
            started_at: self.started_at,
            ended_at: self.ended_at,
            exit: self.exit,
            signal: self.signal,
            end_by: self.end_by,
        }
    }
}

pub fn query(
    conn: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<RunRow>, OpError> {
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map(values, RunRow::from_row)?.collect::<Result<_, _>>()?;
    Ok(rows)
}

/// Announces a run as it now stands.
pub fn announce(cx: &mut Cx<'_>, id: RunId) -> Result<RunRow, OpError> {
    let row = RunRow::by_id(cx.conn, id)?;
    let body = EventBody::RunChanged(Box::new(row.entity()));
    cx.emit_of_run(&row.scope, id, body)?;
    Ok(row)
}

/// The newest runs of an agent, newest first.
pub fn newest_of_agent(
    conn: &Connection,
    agent: i64,
    limit: usize,
) -> Result<Vec<RunEntity>, OpError> {
    let sql =
        format!("SELECT {COLUMNS} FROM {TABLES} WHERE r.agent = ?1 ORDER BY r.id DESC LIMIT ?2");
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    Ok(query(conn, &sql, params![agent, limit])?.iter().map(RunRow::entity).collect())
}

/// Notes that a member outside is still there.
pub fn hear(cx: &Cx<'_>, run: &RunRow) -> Result<(), OpError> {
    cx.conn
        .prepare_cached("UPDATE runs SET last_heartbeat = ?2 WHERE id = ?1")?
        .execute(params![run.id.number(), cx.now.0])?;
    Ok(())
}

/// Has a run end at `by` with this class, unless it was to end sooner. A run that no process
/// works on ends here and now.
pub fn request_end(
    cx: &mut Cx<'_>,
    run: &RunRow,
    class: EndClass,
    error: &str,
    by: Timestamp,
) -> Result<(), OpError> {
    if run.kind == RunKind::External {
        return finish::finish(cx, run.id, &Ended::failed(class, error));
    }
    let sql = "UPDATE runs SET end_by = ?2, end_class = ?3, end_error = ?4
               WHERE id = ?1 AND state IN ('starting', 'running') AND (end_by IS NULL OR end_by > ?2)";
    let changed =
        cx.conn.prepare_cached(sql)?.execute(params![run.id.number(), by.0, Word(class), error])?;
    if changed > 0 {
        announce(cx, run.id)?;
    }
    Ok(())
}

/// How long a run may take to end. A run that waits for a permission has nothing to do before its
/// end.
pub fn time_to_end(cx: &Cx<'_>, run: &RunRow, now: bool) -> Result<Timestamp, OpError> {
    let has_time = !now && !question::is_held_up(cx.conn, run.id)?;
    let grace = cx.settings.runs.stop_grace.duration();
    Ok(if has_time { cx.now.after(grace) } else { cx.now })
}

/// Has the live run of an agent that was stopped end soon, or now.
pub fn end_of_agent(cx: &mut Cx<'_>, agent: i64, now: bool) -> Result<(), OpError> {
    let Some(id) = RunRow::live_of(cx.conn, agent)? else { return Ok(()) };
    let run = RunRow::by_id(cx.conn, id)?;
    let by = time_to_end(cx, &run, now)?;
    request_end(cx, &run, EndClass::Stopped, "the agent was stopped", by)
}

/// Has the live runs of a scope that was stopped end soon, or now.
pub fn end_of_scope(cx: &mut Cx<'_>, scope: i64, now: bool) -> Result<(), OpError> {
    for run in RunRow::live_of_scope(cx.conn, scope)? {
        let by = time_to_end(cx, &run, now)?;
        request_end(cx, &run, EndClass::Stopped, "the workflow was stopped", by)?;
    }
    Ok(())
}

/// Has all live runs end soon, because the daemon does.
pub fn request_end_of_all(cx: &mut Cx<'_>) -> Result<(), OpError> {
    for run in RunRow::live(cx.conn)?.into_iter().filter(|run| run.kind != RunKind::External) {
        let by = time_to_end(cx, &run, false)?;
        request_end(cx, &run, EndClass::Lost, "the daemon was stopped", by)?;
    }
    Ok(())
}

/// Has all live runs of a scope end now, for a reason of the scope's.
pub fn request_end_of_scope(
    cx: &mut Cx<'_>,
    scope: i64,
    class: FailureClass,
    error: &str,
) -> Result<(), OpError> {
    let now = cx.now;
    for run in RunRow::live_of_scope(cx.conn, scope)? {
        request_end(cx, &run, class.into(), error, now)?;
    }
    Ok(())
}

pub const MOST_RUNS: u32 = 500;

impl Run for RunList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Runs, OpError> {
        let limit = limit::at_most(self.limit, 50, MOST_RUNS)?;
        let before = self.before.map_or(i64::MAX, RunId::number);
        let named = cx.target.as_ref().and_then(|target| target.name.clone());
        let (filter, id) = match named {
            Some(name) => ("r.agent = ?1", AgentRow::by_name(cx.conn, &cx.scope()?, &name)?.id),
            None => match cx.listed_scope()? {
                Some(scope) => ("r.scope = ?1", scope.id),
                None => ("?1 = 0", 0),
            },
        };
        let sql = format!(
            "SELECT {COLUMNS} FROM {TABLES} WHERE {filter} AND r.id < ?2 ORDER BY r.id DESC LIMIT ?3"
        );
        let mut rows = query(cx.conn, &sql, params![id, before, limit + 1])?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        Ok(Runs { runs: rows.iter().map(RunRow::entity).collect(), more })
    }
}

/// A run that the caller may know of.
pub fn visible(cx: &Cx<'_>, id: RunId) -> Result<RunRow, OpError> {
    let row = RunRow::by_id(cx.conn, id)?;
    if cx.is_person() || cx.member_in(row.scope_id)?.is_some() {
        return Ok(row);
    }
    Err(OpError::not_found(format!("run `{id}` not found")))
}

/// A run whose transcript the caller may read: a run reads those of its own agent alone.
pub fn readable(cx: &Cx<'_>, id: RunId) -> Result<RunRow, OpError> {
    let row = visible(cx, id)?;
    if cx.is_person() || cx.member_in(row.scope_id)?.is_some_and(|me| me.id == row.agent) {
        return Ok(row);
    }
    Err(OpError::denied(format!("{id} is a run of {}", row.agent_name)))
}

impl Run for RunShow {
    fn run(&self, cx: &mut Cx<'_>) -> Result<RunDetail, OpError> {
        let row = visible(cx, self.id)?;
        let sql = "SELECT result, stderr, cwd FROM runs WHERE id = ?1";
        let (result, stderr, cwd) = cx
            .conn
            .prepare_cached(sql)?
            .query_row([self.id.number()], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?;
        Ok(RunDetail {
            mail: mail_of(cx.conn, &row)?,
            run: row.entity(),
            result,
            stderr,
            cwd,
            pid: row.pid,
            by_hand: session::by_hand(cx.conn, self.id.number())?,
        })
    }
}

/// The newest messages that were leased to a run, in order.
pub fn mail_of(conn: &Connection, run: &RunRow) -> Result<Vec<MessageId>, OpError> {
    let sql = "SELECT seq FROM run_roots WHERE run = ?1 ORDER BY seq DESC LIMIT 100";
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map([run.id.number()], |row| row.get(0))?;
    let mut mail = rows.collect::<Result<Vec<_>, _>>()?;
    mail.reverse();
    Ok(mail.into_iter().map(MessageId::new).collect())
}

impl Run for RunCancel {
    fn run(&self, cx: &mut Cx<'_>) -> Result<RunEntity, OpError> {
        cx.operator_only("cancelling a run")?;
        let row = RunRow::by_id(cx.conn, self.id)?;
        match row.state {
            RunState::Starting | RunState::Running => {
                let now = cx.now;
                request_end(cx, &row, EndClass::Cancelled, "cancelled by the user", now)?;
                Ok(RunRow::by_id(cx.conn, self.id)?.entity())
            }
            RunState::Ending | RunState::Cancelled => Ok(row.entity()),
            _ => Err(OpError::conflict(format!("{} has already ended", self.id))
                .hint(format!("agent-worker logs {}", self.id))),
        }
    }
}

impl Run for RunRetry {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Deliveries, OpError> {
        cx.operator_only("trying mail again")?;
        let run = RunRow::by_id(cx.conn, self.id)?;
        let agent = AgentRow::by_id(cx.conn, run.agent)?;
        let mut deliveries = Vec::new();
        for mut row in delivery::kept(cx.conn, run.agent)? {
            if row.run == Some(run.id.number()) {
                if row.held_reason.as_deref().is_some_and(budget::has_held) {
                    let scope = ScopeRow::by_id(cx.conn, run.scope_id)?;
                    let message = format!("msg_{} would be held again at once", row.seq);
                    budget::check_open(cx, &scope, &message)?;
                }
                if row.state == DeliveryState::Held {
                    row.release()?;
                    row.attempts = 0;
                } else {
                    row.retry()?;
                }
                row.save(cx, &agent)?;
                deliveries.push(row.entity(&agent));
            }
        }
        if deliveries.is_empty() {
            return Err(OpError::conflict(format!(
                "{} has no mail that was given up or held",
                self.id
            ))
            .hint(format!("agent-worker why {}", self.id)));
        }
        Ok(Deliveries { deliveries })
    }
}
