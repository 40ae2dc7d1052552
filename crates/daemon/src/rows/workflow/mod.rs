//! Scopes: rows, entities, and how their state changes.

mod changing;

use agent_worker_protocol::{Limits, Mode, Name, Scope, Tag, Timestamp, WorkflowState};

use crate::{
    error::{OpError, Result},
    rows::{Db, Table, row, sql, statements, table},
};

row! {
    /// A workflow, with its scope.
    #[derive(Debug, Clone, PartialEq)]
    pub struct WorkflowRow from "workflows AS w" {
        id: i64 = "w.id",
        scope: Scope = "'@' || w.name || ':' || w.tag",
        mode: Mode = "w.mode",
        state: WorkflowState = "w.state",
        generation: i64 = "w.generation",
        kicked_off: i64 = "w.kicked_off",
        folder: Option<String> = "w.folder",
        path_env: Option<String> = "w.path_env",
        home: Option<String> = "w.home",
        document_owner: Option<Name> = "w.document_owner",
        limits: Limits = "w.limits",
        setup: Option<String> = "w.setup",
        is_archived: bool = "w.is_archived",
        outcome: Option<WorkflowState> = "w.outcome",
        outcome_reason: Option<String> = "w.outcome_reason",
        tokens_used: i64 = "w.tokens_used",
        cost_used: i64 = "w.cost_used",
        duration_used: i64 = "w.duration_used",
        running_since: Option<Timestamp> = "w.running_since",
        started_at: Option<Timestamp> = "w.started_at",
        ended_at: Option<Timestamp> = "w.ended_at",
    }
}

table! {
    /// A workflow that is created.
    pub struct NewWorkflow<'a> into Workflows {
        name: &'a Name,
        tag: &'a Tag,
        mode: Mode,
        state: WorkflowState,
        created_at: Timestamp,
    }
}

/// What a workflow file says of the workflow itself.
#[derive(Debug)]
pub struct Description<'a> {
    pub mode: Mode,
    pub yaml: &'a str,
    pub folder: &'a str,
    pub path_env: Option<&'a str>,
    pub home: Option<&'a str>,
    pub limits: &'a Limits,
    pub document_owner: Option<&'a Name>,
}

impl WorkflowRow {
    /// The row of a number that is known to exist.
    pub fn by_id(db: Db<'_>, id: i64) -> Result<Self> {
        Self::maybe(db, id)?.ok_or_else(|| rusqlite::Error::QueryReturnedNoRows.into())
    }

    statements! {
        /// The row of a number, if it was not purged.
        pub fn maybe(id: i64) -> known Self = WorkflowRow::SELECT, " WHERE w.id = ?1";

        /// All scopes, by name and tag.
        pub fn all() -> all Self = WorkflowRow::SELECT, " ORDER BY w.name, w.tag";
    }

    /// The scope of this name, if there is one.
    pub fn find(db: Db<'_>, scope: &Scope) -> Result<Option<Self>> {
        const SQL: &str = sql!(WorkflowRow::SELECT, " WHERE w.name = ?1 AND w.tag = ?2");
        db.known(SQL, (&scope.workflow, &scope.tag))
    }

    /// The scope of this name.
    pub fn by_name(db: Db<'_>, scope: &Scope) -> Result<Self> {
        Self::find(db, scope)?.ok_or_else(|| {
            OpError::not_found(format!("workflow {scope} not found")).hint("agent-worker list")
        })
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

/// Gives a workflow other limits.
pub fn set_limits(db: Db<'_>, id: i64, limits: &Limits) -> Result<usize> {
    db.change(Table::Workflows, "UPDATE workflows SET limits = ?2 WHERE id = ?1", (id, limits))
}

/// A state as a word for people.
pub fn word(state: WorkflowState) -> &'static str {
    match state {
        WorkflowState::SettingUp => "setting up",
        state => state.as_str(),
    }
}
