//! Agents that could begin a run.

use agent_worker_protocol::{time::Timestamp, workflow::Limits};

use crate::{
    error::OpError,
    rows::{
        Db, row,
        run::{HELD_UP, LIVE},
        sql,
    },
};

/// The runs that take a place in a workflow.
const LIVE_IN_SCOPE: &str = sql!(
    "(SELECT count(*) FROM runs AS r INDEXED BY runs_live_of_scope
      WHERE r.scope = a.scope AND r.state IN ",
    LIVE,
    " AND r.kind <> 'external' AND NOT ",
    HELD_UP,
    ")"
);

row! {
    /// An agent that could work, if its workflow has a place for one more run.
    pub struct Candidate from "agents AS a JOIN workflows AS w ON w.id = a.scope" {
        agent: i64 = "a.id",
        scope: i64 = "a.scope",
        woken: bool = "a.woken",
        limits: Limits = "w.limits",
        live_in_scope: i64 = LIVE_IN_SCOPE,
    }
}

/// The agents of running workflows that have unread mail or were woken, have no live run, and wait
/// for no time.
pub fn candidates(
    db: Db<'_>,
    now: Timestamp,
    longest: Timestamp,
) -> Result<Vec<Candidate>, OpError> {
    const SQL: &str = sql!(
        Candidate::SELECT,
        " WHERE a.removed_at IS NULL AND a.kind = 'agent' AND a.wanted = 'active'
           AND (a.unread > 0 OR a.woken = 1)
           AND (a.not_before IS NULL OR a.not_before NOT BETWEEN ?1 + 1 AND ?2)
           AND w.state = 'running'
           AND NOT EXISTS (SELECT 1 FROM runs AS r INDEXED BY runs_live
                           WHERE r.agent = a.id AND r.state IN ",
        LIVE,
        ")"
    );
    db.all(SQL, (now, longest))
}
