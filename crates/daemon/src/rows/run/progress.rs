//! What is noted of a run, from its lease to its end.

use agent_worker_protocol::{FailureClass, ModelAway, RunId, RunState, Timestamp, Usage};

use crate::{
    error::Result,
    rows::{Db, EndCause, RunRow, Table, sql, statements},
};

/// How a run ended, as its row has it.
#[derive(Debug)]
pub struct Close<'a> {
    pub state: RunState,
    pub class: Option<FailureClass>,
    pub error: Option<&'a str>,
    pub result: Option<&'a str>,
    pub exit: Option<i32>,
    pub signal: Option<i32>,
    pub stderr: Option<&'a str>,
    /// When to try again, in ms, as the model's service said
    pub retry_after: Option<i64>,
}

/// What a run has done since its last note. `None` keeps a value as it was.
#[derive(Debug)]
pub struct Note<'a> {
    /// Whether its worker has begun
    pub starts: bool,
    pub activity: Option<&'a str>,
    pub turn: Option<u32>,
    pub spoke_at: Option<Timestamp>,
    pub is_silent: Option<bool>,
    pub heartbeat: Option<Timestamp>,
    /// All that it used until now
    pub usage: Usage,
    /// All that it cost until now, in millionths of a dollar
    pub cost: Option<i64>,
}

/// What becomes of a run.
impl RunRow {
    /// Notes how it ended, also in the row.
    pub fn close(&mut self, db: Db<'_>, end: &Close<'_>, now: Timestamp) -> Result<()> {
        let sql = "UPDATE runs SET state = ?2, class = ?3, error = ?4, result = ?5, exit = ?6,
                       signal = ?7, stderr = ?8, retry_after = ?9, ended_at = ?10,
                       activity = NULL, away = NULL, end_by = NULL, is_silent = 0
                   WHERE id = ?1";
        let Close { state, class, error, result, exit, signal, stderr, retry_after } = end;
        let values = (self.id, state, class, error, result, exit, signal, stderr, retry_after, now);
        db.change(Table::Runs, sql, values)?;
        (self.state, self.class, self.error) = (*state, *class, error.map(ToOwned::to_owned));
        (self.exit, self.signal, self.ended_at) = (*exit, *signal, Some(now));
        (self.activity, self.away, self.end_by, self.is_silent) = (None, None, None, false);
        Ok(())
    }

    /// The end of its agent's last run before it that found the model away, and when the service
    /// said to try again, in ms.
    pub fn last_unavailable(&self, db: Db<'_>) -> Result<Option<(Timestamp, Option<i64>)>> {
        let sql = "SELECT ended_at, retry_after FROM runs
                   WHERE agent = ?1 AND id < ?2 AND class = 'unavailable'
                   ORDER BY id DESC LIMIT 1";
        db.maybe(sql, (self.agent, self.id))
    }

    /// Notes what the run has done.
    pub fn note(&self, db: Db<'_>, note: &Note<'_>) -> Result<()> {
        const REST: &str = "activity = coalesce(?2, activity), turn = coalesce(?3, turn),
                spoke_at = coalesce(?4, spoke_at), is_silent = coalesce(?5, is_silent),
                last_heartbeat = coalesce(?6, last_heartbeat),
                input_tokens = ?7, output_tokens = ?8, cache_read = ?9, cache_write = ?10,
                reasoning_tokens = ?11, cost = ?12
            WHERE id = ?1";
        const START: &str = sql!("UPDATE runs SET state = 'running', ", REST);
        // The state is in the conditions of indexes: most notes must not set it.
        const NOTE: &str = sql!("UPDATE runs SET ", REST);
        let Note { starts, activity, turn, spoke_at, is_silent, heartbeat, usage, cost } = note;
        let Usage { input, output, cache_read, cache_write, reasoning } = usage;
        let values = (
            self.id,
            activity,
            turn,
            spoke_at,
            is_silent,
            heartbeat,
            input,
            output,
            cache_read,
            cache_write,
            reasoning,
            cost,
        );
        db.change(Table::Runs, if *starts { START } else { NOTE }, values).map(drop)
    }

    statements! {
        /// Schedules its end, unless that is decided or is to be sooner. Tells whether it did.
        pub fn schedule_end(id: RunId, by: Timestamp, cause: EndCause, error: &str)
            -> changed in Runs =
            "UPDATE runs SET end_by = ?2, end_class = ?3, end_error = ?4
                WHERE id = ?1 AND state IN ('starting', 'running')
                  AND (end_by IS NULL OR end_by > ?2)";

        /// Forgets the end that a stop has scheduled, unless that is decided. Tells whether it did.
        pub fn unschedule_stop(id: RunId) -> changed in Runs =
            "UPDATE runs SET end_by = NULL, end_class = NULL, end_error = NULL
                WHERE id = ?1 AND state IN ('starting', 'running') AND end_class = 'stopped'";

        /// Decides its end, unless that is decided. Tells whether it did.
        pub fn begin_end(id: RunId, cause: EndCause, error: &str, retry_after: Option<i64>)
            -> changed in Runs =
            "UPDATE runs SET state = 'ending', end_class = ?2, end_error = ?3, retry_after = ?4
                WHERE id = ?1 AND state IN ('starting', 'running')";

        /// When the model's service said to try again, in ms.
        pub fn retry_after(&self) -> one Option<i64> = "SELECT retry_after FROM runs WHERE id = ?1";

        /// Notes that its model is away, or is no longer.
        pub fn note_away(&self, away: Option<&ModelAway>) -> change in Runs =
            "UPDATE runs SET away = ?2 WHERE id = ?1";

        /// Notes its process, so that a later daemon can find what is left of it, and the folder
        /// that it works in: programs find a session by the folder that it began in.
        pub fn note_process(&self, pid: i32, started: Option<i64>, cwd: Option<&str>)
            -> change in Runs =
            "UPDATE runs SET pid = ?2, pid_started = ?3, cwd = ?4 WHERE id = ?1";

        /// Notes a sign of life.
        pub fn note_heartbeat(&self, now: Timestamp) -> change in Runs =
            "UPDATE runs SET last_heartbeat = ?2 WHERE id = ?1";

        /// Its last sign of life.
        pub fn last_heartbeat(&self) -> one Option<Timestamp> =
            "SELECT last_heartbeat FROM runs WHERE id = ?1";

        /// Notes the newest message when mail was last leased to it.
        pub fn note_lease(id: RunId, newest: i64) -> change in Runs =
            "UPDATE runs SET lease_seq = ?2 WHERE id = ?1";
    }

    /// Notes how far it is from a person, and the message that it goes back to.
    pub fn note_distance(db: Db<'_>, id: RunId, (hop, root): (i64, Option<i64>)) -> Result<()> {
        let sql = "UPDATE runs SET hop = ?2, root = ?3 WHERE id = ?1";
        db.change(Table::Runs, sql, (id, hop, root)).map(drop)
    }
}
