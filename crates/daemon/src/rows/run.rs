//! Runs: rows, entities, and how people end them.

use agent_worker_protocol::{
    id::{MessageId, RunId},
    name::Name,
    run::{FailureClass, ModelAway, RunKind, RunState, Usage},
    target::{Scope, Target},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row};
use serde::{Deserialize, Serialize};

use crate::{
    error::OpError,
    rows::{
        word::{Json, Word},
        workflow,
    },
};

/// What is true of a run `r` that waits for a permission: its times stand still, and it takes no
/// place.
pub const HELD_UP: &str = "EXISTS (SELECT 1 FROM questions AS q INDEXED BY questions_of_run
    WHERE q.run = r.id AND q.waits = 1 AND q.kind = 'permission')";

/// The number of runs that take a place. A run that waits for a permission takes none.
pub fn live_count(conn: &Connection) -> Result<i64, OpError> {
    let sql = format!(
        "SELECT count(*) FROM runs AS r INDEXED BY runs_live
         WHERE r.state IN {LIVE} AND r.kind <> 'external' AND NOT {HELD_UP}"
    );
    Ok(conn.prepare_cached(&sql)?.query_row([], |row| row.get(0))?)
}

/// How many runs of a scope take a place.
pub fn live_count_of(conn: &Connection, scope: i64) -> Result<i64, OpError> {
    let sql = format!(
        "SELECT count(*) FROM runs AS r INDEXED BY runs_live_of_scope
         WHERE r.scope = ?1 AND r.state IN {LIVE} AND r.kind <> 'external' AND NOT {HELD_UP}"
    );
    Ok(conn.prepare_cached(&sql)?.query_row([scope], |row| row.get(0))?)
}

/// When something becomes due that waits for its time; none if nothing does.
pub fn next_due(conn: &Connection, now: Timestamp) -> Result<Option<Timestamp>, OpError> {
    let sql = "SELECT min(due) FROM (
                   SELECT min(not_before) AS due FROM deliveries INDEXED BY deliveries_waiting
                   WHERE state = 'waiting' AND not_before > ?1
                   UNION ALL
                   SELECT min(not_before) FROM agents
                   WHERE removed_at IS NULL AND not_before > ?1)";
    let due: Option<i64> = conn.prepare_cached(sql)?.query_row([now.0], |row| row.get(0))?;
    Ok(due.map(Timestamp))
}

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
    pub fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
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
    pub fn takes_calls(&self) -> bool {
        matches!(self.state, RunState::Starting | RunState::Running) && !self.agent_removed
    }

    pub fn target(&self) -> Target {
        Target::member(self.agent_name.clone(), self.scope.clone())
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

/// The final text of a run; `None` if it had none.
pub fn result(conn: &Connection, id: RunId) -> Result<Option<String>, OpError> {
    let sql = "SELECT result FROM runs WHERE id = ?1";
    Ok(conn.prepare_cached(sql)?.query_row([id.number()], |row| row.get(0))?)
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
