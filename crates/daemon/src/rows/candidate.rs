//! Agents that could begin a run.

use std::collections::HashMap;

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
    /// An agent that could work, if its workflow has a place for one more run.
    pub struct Candidate from "agents AS a JOIN workflows AS w ON w.id = a.scope
        JOIN agent_counts AS c ON c.agent = a.id" {
        agent: i64 = "a.id",
        scope: i64 = "a.scope",
        woken: bool = "a.woken",
        /// How much mail is in its inbox or will be tried again
        unread: i64 = "c.unread",
    }
}

/// The scopes with live runs that take a place, and how many.
pub fn live_by_scope(db: Db<'_>) -> Result<HashMap<i64, i64>> {
    const SQL: &str = sql!(
        "SELECT r.scope, count(*) FROM runs AS r INDEXED BY runs_live_of_scope WHERE ",
        TAKES_PLACE,
        " GROUP BY r.scope"
    );
    Ok(db.all::<(i64, i64)>(SQL, ())?.into_iter().collect())
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

    /// The agents with a live run.
    pub fn at_work() -> all i64 =
        "SELECT agent FROM runs INDEXED BY runs_live WHERE state IN ", LIVE;

    /// The agents of running workflows that have unread mail or were woken, and wait for no time.
    /// `longest` is the latest time that an agent can wait for: what lies after it is over, because
    /// the clock was set back.
    pub fn candidates(now: Timestamp, longest: Timestamp) -> all Candidate =
        Candidate::SELECT,
        " WHERE a.removed_at IS NULL AND a.kind = 'agent' AND a.wanted = 'active'
            AND (c.unread > 0 OR a.woken = 1)
            AND (a.not_before IS NULL OR a.not_before NOT BETWEEN ?1 + 1 AND ?2)
            AND w.state = 'running'";

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
