//! What follows at the end of each operation: workflows judged, entities announced.

use agent_worker_protocol::event::Event;

use crate::{
    changes::{run::hear, workflow::outcome},
    context::cx::{Cx, Who},
    entities::{agent, attention, workflow},
    error::OpError,
    rows::{agent::AgentRow, run::RunRow, workflow::ScopeRow},
};

impl Cx<'_> {
    /// Judges the scopes now, for an answer that tells how they stand.
    pub fn judge_now(&mut self) -> Result<(), OpError> {
        while let Some(scope) = self.touched.judged.pop_first() {
            outcome::judge(self, scope)?;
        }
        Ok(())
    }

    /// Judges the scopes, announces what was touched, and gives all that was announced.
    pub fn settle(mut self) -> Result<Vec<Event>, OpError> {
        self.hear_of_member()?;
        self.judge_now()?;
        while let Some(id) = self.touched.agents.pop_first() {
            agent::announce(&mut self, id)?;
        }
        while let Some(id) = self.touched.scopes.pop_first() {
            workflow::announce(&mut self, id)?;
        }
        while let Some(scope) = self.touched.attention.pop_first() {
            attention::announce(&mut self, scope)?;
        }
        Ok(self.events)
    }

    /// Whatever a member outside does shows that it is still there.
    pub fn hear_of_member(&self) -> Result<(), OpError> {
        if let Who::Operator { member: Some(name) } = &self.who
            && let Some(scope) = ScopeRow::find(self.db, &self.default_scope)?
            && let Some(member) = AgentRow::find(self.db, scope.id, name.as_str())?
            && let Some(run) = RunRow::open_outside(self.db, member.id)?
        {
            hear::hear(self, &run)?;
        }
        Ok(())
    }
}
