//! Stores deliveries and their states.

use agent_worker_protocol::{DeliveryState, EventBody, MessageId};

use crate::{
    context::Cx,
    entities::schedule,
    error::Result,
    rows::{AgentRow, DeliveryRow, ScheduleRow, delivery},
};

impl DeliveryRow {
    /// Stores a new delivery. The message's event announces it.
    pub fn insert(&self, cx: &mut Cx<'_>) -> Result<()> {
        self.store(cx.db)?;
        cx.touch_agent(self.agent);
        Ok(())
    }

    /// Stores what changed and announces it.
    pub fn save(&self, cx: &mut Cx<'_>, agent: &AgentRow) -> Result<()> {
        let before = self.update(cx.db)?;
        cx.touch_agent(self.agent);
        let is_kept = matches!(self.state, DeliveryState::Held | DeliveryState::Dead);
        // Mail that was held or dead and no longer is needs no attention.
        if is_kept || before.has_kept {
            cx.touch_attention(agent.scope_id);
        }
        cx.judge(agent.scope_id);
        cx.emit(&agent.scope, EventBody::DeliveryChanged(Box::new(self.entity(agent))))?;
        // Its due time tells what holds it, and that it was skipped until a run has had it.
        let is_told = [before.state, self.state].contains(&DeliveryState::Held);
        if self.is_schedule()
            && (is_told || self.run.is_none())
            && let Some(row) = ScheduleRow::of_message(cx.db, self.agent, MessageId::new(self.seq))?
        {
            schedule::announce(cx, &row)?;
        }
        Ok(())
    }
}

/// Changes deliveries of an agent, and stores each.
pub fn change_all(
    cx: &mut Cx<'_>,
    agent: &AgentRow,
    mail: Vec<DeliveryRow>,
    change: impl Fn(&mut DeliveryRow) -> Result<()>,
) -> Result<()> {
    for mut delivery in mail {
        change(&mut delivery)?;
        delivery.save(cx, agent)?;
    }
    Ok(())
}

/// What an agent has that no run has and that is not at its end.
pub fn not_ended(cx: &Cx<'_>, agent: i64) -> Result<Vec<DeliveryRow>> {
    let mut mail = delivery::open(cx.db, agent, u32::MAX)?;
    mail.extend(delivery::kept(cx.db, agent)?);
    Ok(mail)
}

/// Makes mail that waits for its time due at once.
pub fn make_due(cx: &mut Cx<'_>, agent: i64) -> Result<()> {
    let row = AgentRow::by_id(cx.db, agent)?;
    let mut mail = delivery::open(cx.db, agent, u32::MAX)?;
    mail.retain(|delivery| delivery.not_before.is_some());
    change_all(cx, &row, mail, |delivery| {
        delivery.not_before = None;
        Ok(())
    })
}

/// Discards everything of an agent that no run has and that is not at its end, for a reason of
/// `edges`.
pub fn drop_open(cx: &mut Cx<'_>, agent: i64, why: &str) -> Result<()> {
    let (row, mail) = (AgentRow::by_id(cx.db, agent)?, not_ended(cx, agent)?);
    change_all(cx, &row, mail, |delivery| delivery.discard(why))
}

/// Drops what an agent has of a conversation that no run has and that is not at its end.
pub fn drop_of_group(cx: &mut Cx<'_>, agent: &AgentRow, group: i64) -> Result<()> {
    let mut mail = not_ended(cx, agent.id)?;
    mail.retain(|row| row.group_id == group);
    change_all(cx, agent, mail, |delivery| delivery.go(DeliveryState::Dropped))
}

/// Acks what the user's read cursor has passed.
pub fn ack_read(cx: &mut Cx<'_>, person: &AgentRow, group: i64, until: i64) -> Result<()> {
    let read = delivery::leasable_until(cx.db, person.id, group, until)?;
    change_all(cx, person, read, |delivery| delivery.go(DeliveryState::Acked))
}
