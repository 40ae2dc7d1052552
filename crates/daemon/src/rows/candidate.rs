//! Agents that could begin a run.

use std::sync::Arc;

use agent_worker_protocol::Timestamp;

use crate::{
    error::Result,
    rows::{
        Db, delivery, row,
        run::{LIVE, TAKES_PLACE},
        sql, statements,
    },
};

row! {
    /// An agent that works when it is woken: an active one of a running workflow.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Candidate from "agents AS a JOIN workflows AS w ON w.id = a.scope" {
        agent: i64 = "a.id",
        scope: i64 = "a.scope",
        woken: bool = "a.woken",
        /// The time that it waits for before it works again
        not_before: Option<Timestamp> = "a.not_before",
    }
}

/// The agents that work when they are woken. Each claim asks for them, and mail changes nothing of
/// the answer.
pub fn candidates(db: Db<'_>) -> Result<Arc<Vec<Candidate>>> {
    const SQL: &str = sql!(
        Candidate::SELECT,
        " WHERE a.removed_at IS NULL AND a.kind = 'agent' AND a.wanted = 'active'
            AND w.state = 'running'"
    );
    db.all_known(SQL, ())
}

row! {
    /// A live run.
    pub struct Live from "runs AS r INDEXED BY runs_live" {
        agent: i64 = "r.agent",
        scope: i64 = "r.scope",
        takes_place: bool = TAKES_PLACE,
    }
}

/// What waits for an agent: mail in its inbox, or mail that will be tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waking {
    /// Some of it can be leased, whatever the time.
    Pending,
    /// All of it waits for its time, which may have come.
    Waiting,
}

impl Waking {
    /// What waits for an agent, by whether it has open mail without a time, and whether it has any.
    /// Open mail with a time waits for it, so the first that is found tells enough.
    pub fn of(has_pending: bool, has_open: bool) -> Option<Self> {
        let waiting = has_open.then_some(Self::Waiting);
        if has_pending { Some(Self::Pending) } else { waiting }
    }
}

/// Waking mail of an agent `a`. What has no time can be leased.
pub const OPEN: &str = "SELECT 1 FROM deliveries AS d INDEXED BY deliveries_open
    WHERE d.agent = a.id AND d.wakes = 1 AND d.state IN ('pending', 'waiting')";

/// The first waking mail of an agent that is due. `longest` is the latest time that mail can wait
/// for: what lies after it is due, because the clock was set back.
pub fn first_due(
    db: Db<'_>,
    agent: i64,
    now: Timestamp,
    longest: Timestamp,
) -> Result<Option<i64>> {
    if let Some(known) = db.kept().and_then(|kept| kept.due(agent)) {
        return Ok(known);
    }
    // What has no time is due, and what comes after it stands behind it.
    let due = match first_open(db, agent)? {
        Some((_, Some(_))) => {
            return Ok(delivery::first_due(db, agent, now, longest)?.map(|due| due.seq));
        }
        first => first.map(|(seq, _)| seq),
    };
    if let Some(kept) = db.kept() {
        kept.set_due(agent, due);
    }
    Ok(due)
}

statements! {
    /// The first waking mail of an agent, and when it is tried again.
    fn first_open(agent: i64) -> maybe (i64, Option<Timestamp>) =
        "SELECT seq, not_before FROM deliveries INDEXED BY deliveries_open
            WHERE agent = ?1 AND wakes = 1 AND state IN ('pending', 'waiting')
            ORDER BY seq LIMIT 1";

    /// The live runs.
    pub fn live() -> all Live = Live::SELECT, " WHERE r.state IN ", LIVE;

    /// When the first of an agent's waking mail is tried again.
    pub fn next_attempt(agent: i64) -> one Option<Timestamp> =
        "SELECT min(not_before) FROM deliveries INDEXED BY deliveries_open
            WHERE agent = ?1 AND wakes = 1 AND state IN ('pending', 'waiting')";

    /// Whether waking mail waits for an agent.
    pub fn has_waking(agent: i64) -> exists =
        "SELECT 1 FROM deliveries INDEXED BY deliveries_open
            WHERE agent = ?1 AND wakes = 1 AND state IN ('pending', 'waiting') LIMIT 1";

    /// The same, for mail from before a time.
    pub fn has_waking_before(agent: i64, time: Timestamp) -> exists =
        "SELECT 1 FROM deliveries INDEXED BY deliveries_open
            WHERE agent = ?1 AND wakes = 1 AND state IN ('pending', 'waiting')
              AND sent_at < ?2 LIMIT 1";

    /// The members of a scope for which waking mail waits.
    pub fn with_waking(scope: i64) -> all i64 = WITH_MAIL, OPEN, ")";

    /// The same, for mail that no schedule and no heartbeat has sent.
    pub fn with_unscheduled(scope: i64) -> all i64 =
        WITH_MAIL, OPEN, " AND d.reason NOT IN ('schedule', 'heartbeat'))";
}

/// The members of a scope that have unread mail for which a condition holds. The index alone tells
/// them: their rows hold their system prompts.
const WITH_MAIL: &str = "SELECT a.id FROM agents AS a INDEXED BY agents_live
    JOIN agent_counts AS c ON c.agent = a.id
    WHERE a.scope = ?1 AND a.removed_at IS NULL AND c.unread > 0 AND EXISTS (";

/// The members of a scope with unread mail, and what [`Waking::of`] needs of each.
pub const WAKING_IN: &str = sql!(
    "SELECT a.id, EXISTS (",
    OPEN,
    " AND d.not_before IS NULL), EXISTS (",
    OPEN,
    ")
     FROM agents AS a INDEXED BY agents_live JOIN agent_counts AS c ON c.agent = a.id
     WHERE a.scope = ?1 AND a.removed_at IS NULL AND c.unread > 0"
);

/// The members of a scope for which waking mail waits, and whether some of it can be leased.
pub fn waking_in(db: Db<'_>, scope: i64) -> Result<Vec<(i64, Waking)>> {
    let found: Vec<(i64, bool, bool)> = db.all(WAKING_IN, (scope,))?;
    let waking = |(agent, has_pending, has_open): (i64, bool, bool)| {
        Some((agent, Waking::of(has_pending, has_open)?))
    };
    Ok(found.into_iter().filter_map(waking).collect())
}
