//! Pauses, stops and activates members.

use agent_worker_protocol::Wanted;

use crate::{context::Cx, error::Result, rows::AgentRow};

/// Makes an agent active and clears what kept it.
pub fn activate(cx: &mut Cx<'_>, row: &AgentRow) -> Result<()> {
    row.activate(cx.db)?;
    touch(cx, row);
    Ok(())
}

/// Pauses an agent with the reason that people see.
pub fn pause(cx: &mut Cx<'_>, agent: i64, reason: &str) -> Result<()> {
    let row = AgentRow::by_id(cx.db, agent)?;
    if row.wanted == Wanted::Active {
        row.pause(cx.db, reason, cx.now)?;
    }
    touch(cx, &row);
    Ok(())
}

/// Has an agent start no more runs.
pub fn set_stopped(cx: &mut Cx<'_>, row: &AgentRow) -> Result<()> {
    row.stop(cx.db)?;
    touch(cx, row);
    Ok(())
}

fn touch(cx: &mut Cx<'_>, row: &AgentRow) {
    cx.touch_agent(row.id);
    cx.touch_attention(row.scope_id);
    cx.judge(row.scope_id);
}

/// Sets or clears what an agent says of itself.
pub fn set_label(
    cx: &mut Cx<'_>,
    agent: i64,
    status: Option<&str>,
    task: Option<&str>,
) -> Result<()> {
    AgentRow::set_label(cx.db, agent, status, task)?;
    cx.touch_agent(agent);
    Ok(())
}
