//! Scopes: rows, entities, and how their state changes.

use agent_worker_protocol::{
    name::{Name, Tag},
    target::Scope,
    time::Timestamp,
    workflow::{Limits, Mode, WorkflowState},
};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::{
    error::OpError,
    rows::word::{Json, Word},
};

#[derive(Debug, Clone)]
pub struct ScopeRow {
    pub id: i64,
    pub scope: Scope,
    pub mode: Mode,
    pub state: WorkflowState,
    pub generation: i64,
    pub kicked_off: i64,
    pub folder: Option<String>,
    pub path_env: Option<String>,
    pub home: Option<String>,
    pub document_owner: Option<Name>,
    pub limits: Limits,
    pub setup: Option<String>,
    pub is_archived: bool,
    pub outcome: Option<WorkflowState>,
    pub outcome_reason: Option<String>,
    pub tokens_used: i64,
    pub cost_used: i64,
    pub runs_used: i64,
    pub duration_used: i64,
    pub running_since: Option<Timestamp>,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
}

pub const COLUMNS: &str =
    "w.id, w.name, w.tag, w.mode, w.state, w.generation, w.kicked_off, w.folder,
    w.path_env, w.home, w.document_owner, w.limits, w.setup,
    w.is_archived, w.outcome, w.outcome_reason,
    w.tokens_used, w.cost_used, w.runs_used, w.duration_used, w.running_since, w.started_at,
    w.ended_at";

/// A scope's name from two columns.
pub fn scope_from_row(row: &Row<'_>, workflow: &str, tag: &str) -> rusqlite::Result<Scope> {
    Ok(Scope {
        workflow: row.get::<_, Word<Name>>(workflow)?.0,
        tag: row.get::<_, Word<Tag>>(tag)?.0,
    })
}

impl ScopeRow {
    pub fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let at = |column: &str| row.get::<_, Option<i64>>(column).map(|at| at.map(Timestamp));
        Ok(Self {
            id: row.get("id")?,
            scope: scope_from_row(row, "name", "tag")?,
            mode: row.get::<_, Word<Mode>>("mode")?.0,
            state: row.get::<_, Word<WorkflowState>>("state")?.0,
            generation: row.get("generation")?,
            kicked_off: row.get("kicked_off")?,
            folder: row.get("folder")?,
            path_env: row.get("path_env")?,
            home: row.get("home")?,
            document_owner: row.get::<_, Option<Word<Name>>>("document_owner")?.map(|word| word.0),
            limits: row.get::<_, Json<Limits>>("limits")?.0,
            setup: row.get("setup")?,
            is_archived: row.get("is_archived")?,
            outcome: row.get::<_, Option<Word<WorkflowState>>>("outcome")?.map(|word| word.0),
            outcome_reason: row.get("outcome_reason")?,
            tokens_used: row.get("tokens_used")?,
            cost_used: row.get("cost_used")?,
            runs_used: row.get("runs_used")?,
            duration_used: row.get("duration_used")?,
            running_since: at("running_since")?,
            started_at: at("started_at")?,
            ended_at: at("ended_at")?,
        })
    }

    /// The row of a number that is known to exist.
    pub fn by_id(conn: &Connection, id: i64) -> Result<Self, OpError> {
        let sql = format!("SELECT {COLUMNS} FROM workflows AS w WHERE w.id = ?1");
        Ok(conn.prepare_cached(&sql)?.query_row([id], Self::from_row)?)
    }

    /// The scope of this name, if there is one.
    pub fn find(conn: &Connection, scope: &Scope) -> Result<Option<Self>, OpError> {
        let sql = format!("SELECT {COLUMNS} FROM workflows AS w WHERE w.name = ?1 AND w.tag = ?2");
        let found = conn
            .prepare_cached(&sql)?
            .query_row([scope.workflow.as_str(), scope.tag.as_str()], Self::from_row)
            .optional()?;
        Ok(found)
    }

    /// The scope of this name.
    pub fn by_name(conn: &Connection, scope: &Scope) -> Result<Self, OpError> {
        Self::find(conn, scope)?.ok_or_else(|| {
            OpError::not_found(format!("workflow {scope} not found"))
                .hint("agent-worker list shows those that exist; agent-worker start FILE makes one")
        })
    }

    /// All scopes, by name and tag.
    pub fn all(conn: &Connection) -> Result<Vec<Self>, OpError> {
        let sql = format!("SELECT {COLUMNS} FROM workflows AS w ORDER BY w.name, w.tag");
        let mut statement = conn.prepare_cached(&sql)?;
        let rows = statement.query_map([], Self::from_row)?.collect::<Result<_, _>>()?;
        Ok(rows)
    }

    /// Whether new waking mail starts its recipient: it runs, or has ended and goes on with it.
    pub fn takes_work(&self) -> bool {
        match self.state {
            WorkflowState::Running => true,
            WorkflowState::Completed | WorkflowState::Failed | WorkflowState::Stalled => {
                self.was_kicked_off()
            }
            WorkflowState::Created | WorkflowState::SettingUp | WorkflowState::Stopped => false,
        }
    }

    /// Whether this generation got past its setup.
    pub fn was_kicked_off(&self) -> bool {
        self.kicked_off == self.generation
    }

    /// Milliseconds in `running` until now.
    pub fn duration_until(&self, now: Timestamp) -> i64 {
        let running = self.running_since.map_or(0, |since| now.0.saturating_sub(since.0).max(0));
        self.duration_used.saturating_add(running)
    }
}

/// A state as a word for people.
pub fn word(state: WorkflowState) -> &'static str {
    match state {
        WorkflowState::Created => "created",
        WorkflowState::SettingUp => "setting up",
        WorkflowState::Running => "running",
        WorkflowState::Completed => "completed",
        WorkflowState::Failed => "failed",
        WorkflowState::Stopped => "stopped",
        WorkflowState::Stalled => "stalled",
    }
}
