//! Which agents have deliveries that can start a run.

use crate::{
    context::cx::Cx,
    error::OpError,
    rows::{
        delivery::{self, DeliveryRow},
        run::{HELD_UP, LIVE},
        word::Json,
    },
};

/// An agent that could work.
pub struct Candidate {
    pub agent: i64,
    pub scope: i64,
    pub live_in_scope: i64,
    pub woken: bool,
}

pub fn candidates(cx: &Cx<'_>) -> Result<Vec<Candidate>, OpError> {
    let sql = format!(
        "SELECT a.id, a.scope, a.woken, w.limits,
             (SELECT count(*) FROM runs AS r INDEXED BY runs_live_of_scope
              WHERE r.scope = a.scope AND r.state IN {LIVE} AND r.kind <> 'external'
                AND NOT {HELD_UP}) AS live
         FROM agents AS a JOIN workflows AS w ON w.id = a.scope
         WHERE a.removed_at IS NULL AND a.kind = 'agent' AND a.wanted = 'active'
           AND (a.unread > 0 OR a.woken = 1)
           AND (a.not_before IS NULL OR a.not_before NOT BETWEEN ?1 + 1 AND ?2) AND w.state = 'running'
           AND NOT EXISTS (SELECT 1 FROM runs AS r INDEXED BY runs_live
                           WHERE r.agent = a.id AND r.state IN {LIVE})"
    );
    let mut statement = cx.conn.prepare_cached(&sql)?;
    let longest = cx.now.after(cx.settings.longest_backoff());
    let mut rows = statement.query([cx.now.0, longest.0])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let limits: Json<agent_worker_protocol::workflow::Limits> = row.get("limits")?;
        let live_in_scope: i64 = row.get("live")?;
        if limits.0.max_runs.is_none_or(|most| live_in_scope < i64::from(most)) {
            found.push(Candidate {
                agent: row.get("id")?,
                scope: row.get("scope")?,
                live_in_scope,
                woken: row.get("woken")?,
            });
        }
    }
    Ok(found)
}

/// The first waking mail of an agent that is due: its time has come, or lies so far ahead that
/// the clock must have been set back since.
pub fn first_due(cx: &Cx<'_>, agent: i64) -> Result<Option<DeliveryRow>, OpError> {
    let longest = cx.now.after(cx.settings.longest_retry());
    delivery::first_due(cx.db, agent, cx.now, longest)
}
