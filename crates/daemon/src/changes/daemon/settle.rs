//! What follows at the end of each operation and of each transaction: workflows judged, entities
//! announced.

use std::collections::BTreeSet;

use agent_worker_protocol::Event;

use crate::{
    changes::workflow::outcome,
    context::{
        Cx, Who,
        cx::{By, Touched},
    },
    entities::{agent, attention, conversation, workflow},
    error::Result,
    rows::{AgentRow, RunRow, WorkflowRow},
};

/// What an operation leaves behind.
pub struct Settled {
    /// What it announced itself
    pub events: Vec<Event>,
    /// What is announced for it when the transaction ends
    pub touched: BTreeSet<Touched>,
    pub by: By,
}

impl Cx<'_> {
    /// Judges the scopes now, for an answer that tells how they stand.
    pub fn judge_now(&mut self) -> Result<()> {
        while let Some(scope) = self.judged.pop_first() {
            outcome::judge(self, scope)?;
        }
        Ok(())
    }

    /// Ends the operation.
    pub fn settle(mut self) -> Result<Settled> {
        self.hear_of_member()?;
        self.judge_now()?;
        Ok(Settled { events: self.events, touched: self.touched, by: self.by })
    }

    /// Announces an entity as it now stands, in the name of those that touched it last; nothing if
    /// it is gone.
    pub fn announce(&mut self, touched: Touched, by: By) -> Result<()> {
        self.by = by;
        match touched {
            Touched::Conversation(id) => conversation::announce(self, id),
            Touched::Agent(id) => agent::announce(self, id),
            Touched::Workflow(id) => workflow::announce(self, id),
            Touched::Attention(scope) => attention::announce(self, scope),
        }
    }

    /// Whatever a member outside does shows that it is still there.
    fn hear_of_member(&self) -> Result<()> {
        if let Who::Operator { member: Some(name) } = &self.who
            && let Some(scope) = WorkflowRow::find(self.db, &self.default_scope)?
            && let Some(member) = AgentRow::find(self.db, scope.id, name.as_str())?
            && let Some(run) = RunRow::open_outside(self.db, member.id)?
        {
            run.note_heartbeat(self.db, self.now)?;
        }
        Ok(())
    }
}
