//! What becomes of a workflow: its state, file, name and use.

use agent_worker_protocol::{Name, Tag, Timestamp, WorkflowState};

use super::{Description, WorkflowRow};
use crate::{
    error::Result,
    rows::{Db, Table, event, numbers, statements},
};

/// What becomes of a workflow.
impl WorkflowRow {
    /// Brings it into a state, with the time in `running` until now and since when it is in it.
    pub fn enter(
        &self,
        db: Db<'_>,
        state: WorkflowState,
        (outcome, reason): (Option<WorkflowState>, Option<&str>),
        (running_since, duration): (Option<Timestamp>, i64),
        ended_at: Option<Timestamp>,
    ) -> Result<()> {
        let sql =
            "UPDATE workflows SET state = ?2, outcome = ?3, outcome_reason = ?4, setup = NULL,
                       running_since = ?5, duration_used = ?6, ended_at = ?7,
                       is_archived = is_archived AND ?2 <> 'running'
                   WHERE id = ?1";
        let values = (self.id, state, outcome, reason, running_since, duration, ended_at);
        db.change(Table::Workflows, sql, values).map(drop)
    }

    /// Notes what its file says of it.
    pub fn describe(&self, db: Db<'_>, file: &Description<'_>) -> Result<()> {
        let sql = "UPDATE workflows SET mode = ?2, folder = ?3, path_env = ?4, home = ?5,
                       limits = ?6, document_owner = ?7
                   WHERE id = ?1";
        let Description { mode, yaml, folder, path_env, home, limits, document_owner } = file;
        let values = (self.id, mode, folder, path_env, home, limits, document_owner);
        db.change(Table::Workflows, sql, values)?;
        let sql = "INSERT INTO workflow_files (workflow, yaml) VALUES (?1, ?2)
                   ON CONFLICT (workflow) DO UPDATE SET yaml = excluded.yaml";
        db.change(Table::WorkflowFiles, sql, (self.id, yaml)).map(drop)
    }

    statements! {
        /// Gives the documents that have no owner of their own to a member.
        pub fn set_document_owner(&self, owner: &Name) -> change in Workflows =
            "UPDATE workflows SET document_owner = ?2 WHERE id = ?1";

        /// Its file, as YAML; `None` if it has none.
        pub fn file(&self) -> maybe String = "SELECT yaml FROM workflow_files WHERE workflow = ?1";

        /// Begins a new generation, which has used nothing.
        pub fn begin(&self, now: Timestamp) -> change in Workflows =
            "UPDATE workflows SET generation = generation + 1, tokens_used = 0, cost_used = 0,
                    runs_used = 0, duration_used = 0, running_since = NULL, started_at = ?2,
                    state = 'created', outcome = NULL, ended_at = NULL
                WHERE id = ?1";

        /// Notes that it has been kicked off, as the global scope always is.
        pub fn make_global(&self) -> change in Workflows =
            "UPDATE workflows SET generation = 1, kicked_off = 1 WHERE id = ?1";

        /// Notes that this generation got past its setup.
        pub fn note_kickoff(id: i64) -> change in Workflows =
            "UPDATE workflows SET kicked_off = generation WHERE id = ?1";

        /// Notes which step of its setup runs.
        pub fn note_step(id: i64, step: &str) -> change in Workflows =
            "UPDATE workflows SET setup = ?2 WHERE id = ?1";

        /// Whether a generation of it is in its setup.
        pub fn is_setting_up(id: i64, generation: i64) -> exists =
            "SELECT 1 FROM workflows WHERE id = ?1 AND generation = ?2 AND state = 'setting_up'";

        /// Notes that it is archived.
        pub fn archive(&self) -> change in Workflows =
            "UPDATE workflows SET is_archived = 1 WHERE id = ?1";

        /// Gives it another tag.
        pub fn set_tag(&self, tag: &Tag) -> change in Workflows =
            "UPDATE workflows SET tag = ?2 WHERE id = ?1";

        /// Counts a run that begins.
        pub fn count_run(&self) -> count =
            "UPDATE workflows SET runs_used = runs_used + 1 WHERE id = ?1";

        /// How many runs this generation has begun. The row has no such column: each run changes
        /// it.
        pub fn runs_used(&self) -> one i64 = "SELECT runs_used FROM workflows WHERE id = ?1";

        /// Notes what this generation has used.
        pub fn set_used(&self, tokens: i64, cost: i64) -> change in Workflows =
            "UPDATE workflows SET tokens_used = ?2, cost_used = ?3 WHERE id = ?1";

        /// Has its time in `running` count on from now, after `duration` milliseconds.
        pub fn restart_clock(&self, now: Timestamp, duration: i64) -> change in Workflows =
            "UPDATE workflows SET running_since = ?2, duration_used = ?3 WHERE id = ?1";

        /// Those that run and whose time is limited.
        pub fn timed() -> all Self =
            WorkflowRow::SELECT,
            " WHERE w.running_since IS NOT NULL AND w.limits ->> '$.duration' IS NOT NULL";
    }

    /// Removes it, and with it whatever hangs on it.
    pub fn remove(&self, db: Db<'_>) -> Result<()> {
        // Only the entries of the index hang on the workflow, not what is found in it.
        let found =
            "DELETE FROM search WHERE rowid IN (SELECT id FROM search_entries WHERE scope = ?1)";
        db.change(Table::Search, found, (self.id,))?;
        event::keep_messages(db, self.id)?;
        numbers::note(db)?;
        let sql = "DELETE FROM workflows WHERE id = ?1";
        db.change(Table::Workflows, sql, (self.id,)).map(drop)
    }
}
