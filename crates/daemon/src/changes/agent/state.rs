//! Pauses, stops and activates members.

use agent_worker_protocol::agent::Wanted;
use rusqlite::params;

use crate::{context::cx::Cx, error::OpError, rows::agent::AgentRow};

/// Makes an agent active and clears what kept it.
pub fn activate(cx: &mut Cx<'_>, row: &AgentRow) -> Result<(), OpError> {
    let sql = "UPDATE agents SET wanted = 'active', paused_reason = NULL, paused_at = NULL,
                   not_before = NULL, unavailable_since = NULL, unavailable_count = 0,
                   forgiven_run =
                       (SELECT max(id) FROM runs WHERE agent = ?1 AND ended_at IS NOT NULL)
               WHERE id = ?1";
    cx.conn.prepare_cached(sql)?.execute([row.id])?;
    cx.touch_agent(row.id);
    cx.touch_attention(row.scope_id);
    cx.judge(row.scope_id);
    Ok(())
}

/// Pauses an agent with the reason that people see.
pub fn pause(cx: &mut Cx<'_>, agent: i64, reason: &str) -> Result<(), OpError> {
    let row = AgentRow::by_id(cx.db, agent)?;
    if row.wanted == Wanted::Active {
        let sql = "UPDATE agents SET wanted = 'paused', paused_reason = ?2, paused_at = ?3,
                       woken = 0
                   WHERE id = ?1";
        cx.conn.prepare_cached(sql)?.execute(params![agent, reason, cx.now.0])?;
    }
    cx.touch_agent(agent);
    cx.touch_attention(row.scope_id);
    cx.judge(row.scope_id);
    Ok(())
}

/// Has an agent start no more runs.
pub fn set_stopped(cx: &mut Cx<'_>, row: &AgentRow) -> Result<(), OpError> {
    let sql = "UPDATE agents SET wanted = 'stopped', paused_reason = NULL, paused_at = NULL,
                   woken = 0
               WHERE id = ?1";
    cx.conn.prepare_cached(sql)?.execute([row.id])?;
    cx.touch_agent(row.id);
    cx.touch_attention(row.scope_id);
    cx.judge(row.scope_id);
    Ok(())
}

/// Sets or clears what an agent says of itself.
pub fn set_label(
    cx: &mut Cx<'_>,
    agent: i64,
    status: Option<&str>,
    task: Option<&str>,
) -> Result<(), OpError> {
    cx.conn
        .prepare_cached("UPDATE agents SET status = ?2, task = ?3 WHERE id = ?1")?
        .execute(params![agent, status, task])?;
    cx.touch_agent(agent);
    Ok(())
}
