//! Members as clients see them.

use agent_worker_protocol::{
    agent::{Agent, AgentState, AgentUsed, Wanted},
    event::EventBody,
    id::RunId,
    workflow::WorkflowState,
};

use crate::{
    context::cx::Cx,
    error::OpError,
    rows::{Db, agent::AgentRow, cost, delivery, question, run::RunRow, workflow::WorkflowRow},
};

impl AgentRow {
    /// The entity. It follows from the tables alone, never from the clock, so that a reader of
    /// the feed and a snapshot agree.
    pub fn entity(&self, db: Db<'_>) -> Result<Agent, OpError> {
        let live = RunRow::live_of(db, self.id)?;
        Ok(Agent {
            name: self.name.clone(),
            scope: self.scope.clone(),
            target: self.target(),
            kind: self.kind,
            role: self.role.clone(),
            display_name: self.display_name.clone(),
            model: self.model.clone(),
            backend: self.backend.clone(),
            wanted: self.wanted,
            state: self.state(db, live)?,
            paused_reason: self.paused_reason.clone(),
            not_before: self.not_before,
            away: self.away(db, live)?,
            status: self.status.clone(),
            task: self.task.clone(),
            unread: self.mail(db)?.unread,
            run: live,
            parent: self.parent.map(|id| AgentRow::by_id(db, id)).transpose()?.map(|row| row.name),
            used: AgentUsed { tokens: self.tokens_used, cost: self.cost_used.map(cost::dollars) },
        })
    }

    pub fn state(&self, db: Db<'_>, live: Option<RunId>) -> Result<AgentState, OpError> {
        match (self.wanted, live) {
            _ if !self.works() => return Ok(AgentState::Idle),
            (Wanted::Paused, _) => return Ok(AgentState::Paused),
            (Wanted::Stopped, _) => return Ok(AgentState::Stopped),
            (Wanted::Active, Some(run)) if question::is_waited_for(db, run)? => {
                return Ok(AgentState::Waiting);
            }
            (Wanted::Active, Some(_)) => return Ok(AgentState::Running),
            (Wanted::Active, None) => {}
        }
        let scope = WorkflowRow::by_id(db, self.scope_id)?;
        if scope.state != WorkflowState::Running {
            return Ok(AgentState::Idle);
        }
        Ok(match delivery::waking(db, self.id)? {
            _ if self.not_before.is_some() => AgentState::Backoff,
            Some(delivery::Waking::Pending) => AgentState::Queued,
            _ if self.woken => AgentState::Queued,
            Some(delivery::Waking::Waiting) => AgentState::Backoff,
            None => AgentState::Idle,
        })
    }
}

/// Announces a member as it now stands; nothing if it is removed.
pub fn announce(cx: &mut Cx<'_>, id: i64) -> Result<(), OpError> {
    let Some(row) = AgentRow::maybe(cx.db, id)?.filter(|row| !row.removed) else {
        return Ok(());
    };
    let agent = row.entity(cx.db)?;
    cx.emit(&row.scope, EventBody::AgentChanged(Box::new(agent)))
}
