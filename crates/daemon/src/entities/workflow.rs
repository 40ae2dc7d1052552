//! Workflows as clients see them.

use agent_worker_protocol::{
    event::EventBody,
    workflow::{Used, Workflow},
};
use rusqlite::Connection;

use crate::{
    context::cx::Cx,
    error::OpError,
    rows::{Db, agent::AgentRow, cost, workflow::ScopeRow},
};

impl ScopeRow {
    pub fn entity(&self, conn: &Connection) -> Result<Workflow, OpError> {
        let members = AgentRow::of_scope(Db::new(conn), self.id)?;
        Ok(Workflow {
            key: self.scope.key(),
            name: self.scope.workflow.clone(),
            tag: self.scope.tag.clone(),
            scope: self.scope.clone(),
            mode: self.mode,
            state: self.state,
            outcome: self.outcome,
            outcome_reason: self.outcome_reason.clone(),
            setup: self.setup.clone(),
            generation: self.generation,
            agents: members.into_iter().filter(AgentRow::works).map(|row| row.name).collect(),
            limits: self.limits,
            used: Used {
                tokens: self.tokens_used,
                cost: cost::dollars(self.cost_used),
                duration_ms: self.duration_used,
                running_since: self.running_since,
                runs: self.runs_used,
            },
            started_at: self.started_at,
            ended_at: self.ended_at,
        })
    }
}

/// Announces a workflow as it now stands; nothing if it is gone.
pub fn announce(cx: &mut Cx<'_>, id: i64) -> Result<(), OpError> {
    let Some(row) = ScopeRow::maybe(cx.db, id)? else { return Ok(()) };
    let workflow = row.entity(cx.conn)?;
    cx.emit(&row.scope, EventBody::WorkflowChanged(Box::new(workflow)))
}
