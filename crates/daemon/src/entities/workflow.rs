//! Workflows as clients see them.

use agent_worker_protocol::{EventBody, Used, Workflow};

use crate::{
    context::Cx,
    error::Result,
    rows::{AgentRow, Db, WorkflowRow, cost},
};

impl WorkflowRow {
    pub fn entity(&self, db: Db<'_>) -> Result<Workflow> {
        let members = AgentRow::team(db, self.id)?;
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
            agents: members.iter().filter(|row| row.works()).map(|row| row.name.clone()).collect(),
            limits: self.limits,
            used: Used {
                tokens: self.tokens_used,
                cost: cost::dollars(self.cost_used),
                duration_ms: self.duration_used,
                running_since: self.running_since,
                runs: self.runs_used(db)?,
            },
            started_at: self.started_at,
            ended_at: self.ended_at,
            archived: self.is_archived,
        })
    }
}

/// Announces a workflow as it now stands; nothing if it is gone.
pub fn announce(cx: &mut Cx<'_>, id: i64) -> Result<()> {
    let Some(row) = WorkflowRow::maybe(cx.db, id)? else { return Ok(()) };
    let workflow = row.entity(cx.db)?;
    cx.emit(&row.scope, EventBody::WorkflowChanged(Box::new(workflow)))
}
