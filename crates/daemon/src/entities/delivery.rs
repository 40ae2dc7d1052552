//! Deliveries as clients see them.

use agent_worker_protocol::{Delivery, MessageId, RunId};

use crate::rows::{AgentRow, DeliveryRow};

impl DeliveryRow {
    /// The entity. `marked` is of the run that has it, or had it last.
    pub fn entity(&self, agent: &AgentRow) -> Delivery {
        Delivery {
            message: MessageId::new(self.seq),
            agent: agent.target(),
            state: self.state,
            reason: self.reason,
            wakes: self.wakes,
            attempts: self.attempts,
            held_reason: self.held_reason.clone(),
            not_before: self.not_before,
            last_error: self.last_error.clone(),
            run: self.run.map(RunId::new),
            marked: self.marked_by.is_some(),
        }
    }
}
