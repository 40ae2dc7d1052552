//! Members as clients see them.

use agent_worker_protocol::{
    agent::{Agent, AgentState, AgentUsed, Wanted},
    event::EventBody,
    id::RunId,
    workflow::WorkflowState,
};
use rusqlite::Connection;

use crate::{
    context::cx::Cx,
    error::OpError,
    rows::{Db, agent::AgentRow, cost, delivery, question, run::RunRow, workflow::ScopeRow},
};

impl AgentRow {
    /// The entity. It follows from the tables alone, never from the clock, so that a reader of
    /// the feed and a snapshot agree.
    pub fn entity(&self, conn: &Connection) -> Result<Agent, OpError> {
        let live = RunRow::live_of(Db::new(conn), self.id)?;
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
            state: self.state(conn, live)?,
            paused_reason: self.paused_reason.clone(),
            not_before: self.not_before,
            away: self.away(Db::new(conn), live)?,
            status: self.status.clone(),
            task: self.task.clone(),
            unread: self.unread,
            run: live,
            used: AgentUsed { tokens: self.tokens_used, cost: self.cost_used.map(cost::dollars) },
        })
    }

    pub fn state(&self, conn: &Connection, live: Option<RunId>) -> Result<AgentState, OpError> {
        match (self.wanted, live) {
            _ if !self.works() => return Ok(AgentState::Idle),
            (Wanted::Paused, _) => return Ok(AgentState::Paused),
            (Wanted::Stopped, _) => return Ok(AgentState::Stopped),
            (Wanted::Active, Some(run)) if question::is_waited_for(Db::new(conn), run)? => {
                return Ok(AgentState::Waiting);
            }
            (Wanted::Active, Some(_)) => return Ok(AgentState::Running),
            (Wanted::Active, None) => {}
        }
        let scope = ScopeRow::by_id(Db::new(conn), self.scope_id)?;
        if scope.state != WorkflowState::Running {
            return Ok(AgentState::Idle);
        }
        let waking = if self.unread > 0 { delivery::waking(Db::new(conn), self.id)? } else { None };
        Ok(match waking {
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
    let agent = row.entity(cx.conn)?;
    cx.emit(&row.scope, EventBody::AgentChanged(Box::new(agent)))
}
