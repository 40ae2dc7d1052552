//! The states of a delivery, and the ways between them.

use agent_worker_protocol::DeliveryState;

use crate::{
    error::{OpError, Result},
    rows::DeliveryRow,
};

/// What discards mail, and closes questions, without a command for it: the removal of their agent.
pub const REMOVED: &str = "its agent was removed";

/// … the start of a new generation of their workflow.
pub const STARTED_ANEW: &str = "its workflow was started anew";

/// … a start that archives their workflow.
pub const PUT_AWAY: &str = "its workflow was put away by a start with --fresh";

/// What discards mail by a command.
pub const DROPPED: &str = "the user dropped it";

/// Whether a delivery may go from one state to another. A person's goes from `pending` to `acked`
/// when the read cursor passes it.
pub fn may_go(from: DeliveryState, to: DeliveryState) -> bool {
    use DeliveryState::{Acked, Dead, Dropped, Held, Leased, Pending, Waiting};
    match from {
        Pending => matches!(to, Leased | Held | Dropped | Acked),
        Leased => matches!(to, Acked | Waiting | Pending | Held | Dead | Dropped),
        Waiting => matches!(to, Leased | Held | Dropped),
        Held | Dead => matches!(to, Pending | Dropped),
        Acked | Dropped => false,
    }
}

impl DeliveryRow {
    /// Goes to another state, if there is such an edge.
    pub fn go(&mut self, to: DeliveryState) -> Result<()> {
        if !may_go(self.state, to) {
            let text =
                format!("a delivery of msg_{} would go from {:?} to {to:?}", self.seq, self.state);
            return Err(OpError::Broken(text));
        }
        self.state = to;
        self.not_before = None;
        self.held_reason = None;
        Ok(())
    }

    /// Keeps it from its recipient until the person decides.
    pub fn hold(&mut self, reason: &str) -> Result<()> {
        self.go(DeliveryState::Held)?;
        self.held_reason = Some(reason.to_owned());
        Ok(())
    }

    /// Holds it because a budget is used up. A question is dropped instead: its asker is told why,
    /// and stops waiting.
    pub fn refuse(&mut self, reason: &str) -> Result<()> {
        if !self.is_question() {
            return self.hold(reason);
        }
        self.last_error = Some(reason.to_owned());
        self.go(DeliveryState::Dropped)
    }

    /// Discards it for one of the reasons of this file, which is kept as its last error.
    pub fn discard(&mut self, why: &str) -> Result<()> {
        self.last_error = Some(why.to_owned());
        self.go(DeliveryState::Dropped)
    }

    /// Returns why it was discarded. `None` if its run, or the user who hid its message, did so.
    pub fn discarded_because(&self) -> Option<&str> {
        let why = self.last_error.as_deref().filter(|_| self.state == DeliveryState::Dropped)?;
        [REMOVED, STARTED_ANEW, PUT_AWAY, DROPPED].contains(&why).then_some(why)
    }

    /// Tries it again as if it had never been tried.
    pub fn retry(&mut self) -> Result<()> {
        self.go(DeliveryState::Pending)?;
        self.attempts = 0;
        Ok(())
    }

    /// Lets it through: the loop guard begins anew with it.
    pub fn release(&mut self) -> Result<()> {
        self.go(DeliveryState::Pending)?;
        self.hop = 0;
        self.lost_count = 0;
        self.released = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_worker_protocol::inbox::DeliveryState::{Acked, Dropped};

    #[test]
    fn what_is_final_goes_nowhere() {
        for to in DeliveryState::ALL {
            assert!(!may_go(Acked, to) && !may_go(Dropped, to));
        }
    }
}
