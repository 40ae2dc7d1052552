//! What changes of a member with each message and run: [`AgentRow`] has none of it, so that it can be
//! kept for as long as it stays the same.

use agent_worker_protocol::{ModelAway, RunId};

use super::AgentRow;
use crate::rows::{
    candidate::{OPEN, Waking},
    question, row, sql, statements,
};

row! {
    /// What messages and runs change of a member.
    #[derive(Debug, Clone)]
    pub struct Changing from "agent_counts" {
        unread: i64,
        held: i64,
        dead: i64,
        status: Option<String>,
        task: Option<String>,
        tokens_used: i64,
        cost_used: Option<i64>,
    }
}

row! {
    /// What the entity of a member has beside its row. One statement reads it: each message and
    /// each call of a run has a member announced.
    #[derive(Debug)]
    pub struct Shown from "agents AS a JOIN agent_counts AS c ON c.agent = a.id
        LEFT JOIN runs AS r INDEXED BY runs_live
            ON r.agent = a.id AND r.state IN ('starting', 'running', 'ending')"
    {
        unread: i64 = "c.unread",
        status: Option<String> = "c.status",
        task: Option<String> = "c.task",
        tokens_used: i64 = "c.tokens_used",
        cost_used: Option<i64> = "c.cost_used",
        /// Its live run
        run: Option<RunId> = "r.id",
        /// That its live run finds its model away
        away: Option<ModelAway> = "r.away",
        /// Whether its live run waits for the person
        waits: bool = question::WAITS,
        /// Whether waking mail can be leased; not looked at while it has a live run
        has_pending: bool = sql!(
            "CASE WHEN r.id IS NULL AND c.unread > 0 THEN EXISTS (",
            OPEN,
            " AND d.not_before IS NULL) ELSE 0 END"
        ),
        /// Whether there is waking mail at all; not looked at while it has a live run
        has_open: bool = sql!(
            "CASE WHEN r.id IS NULL AND c.unread > 0 THEN EXISTS (",
            OPEN,
            ") ELSE 0 END"
        ),
    }
}

/// Reads [`Shown`] of a member.
pub const SHOWN: &str = sql!(Shown::SELECT, " WHERE a.id = ?1");

impl Shown {
    /// The mail that wakes it, where it has no live run.
    pub fn waking(&self) -> Option<Waking> {
        Waking::of(self.has_pending, self.has_open)
    }
}

row! {
    /// What an agent says of itself.
    #[derive(Debug, Clone)]
    pub struct OwnStatus from "agents AS a JOIN agent_counts AS c ON c.agent = a.id" {
        agent: i64 = "a.id",
        status: Option<String> = "c.status",
        task: Option<String> = "c.task",
    }
}

impl AgentRow {
    statements! {
        /// What messages and runs change of it.
        pub fn changing(&self) -> one Changing = Changing::SELECT, " WHERE agent = ?1";

        /// Whether mail is in its inbox or will be tried again.
        pub fn has_unread(&self) -> exists =
            "SELECT 1 FROM agent_counts WHERE agent = ?1 AND unread > 0";

        /// What its entity has beside its row.
        pub fn shown(&self) -> one Shown = SHOWN;

        /// What the members of a scope say of themselves, as far as they do.
        pub fn statuses(scope: i64) -> all OwnStatus =
            OwnStatus::SELECT,
            " WHERE a.scope = ?1 AND a.removed_at IS NULL
                AND (c.status IS NOT NULL OR c.task IS NOT NULL)";

        /// Notes what it says of itself.
        pub fn set_label(id: i64, status: Option<&str>, task: Option<&str>) -> count =
            "UPDATE agent_counts SET status = ?2, task = ?3
                WHERE agent = ?1 AND (status IS NOT ?2 OR task IS NOT ?3)";

        /// Notes what all its runs have used.
        pub fn set_used(&self, tokens: i64, cost: Option<i64>) -> count =
            "UPDATE agent_counts SET tokens_used = ?2, cost_used = ?3 WHERE agent = ?1";
    }
}
