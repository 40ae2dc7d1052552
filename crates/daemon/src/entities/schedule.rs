//! Schedules as clients see them.

use agent_worker_protocol::{
    DeliveryState, EventBody, Fire, FireOutcome, Fired, Hours, RunId, Schedule, ScheduleId, Target,
    Timestamp,
};

use crate::{
    context::Cx,
    error::Result,
    rows::{AgentRow, Db, ScheduleRow, delivery, schedule},
    rules::schedule::heartbeat,
};

/// Reason of a due time whose message was discarded before a run had it.
const DISCARDED: &str = "its message was discarded";

impl ScheduleRow {
    /// The part of the day of a heartbeat, which is a setting of its agent.
    pub fn hours(&self, db: Db<'_>) -> Result<Option<Hours>> {
        if !self.is_heartbeat() {
            return Ok(None);
        }
        Ok(AgentRow::by_id(db, self.agent)?.config(db)?.hours)
    }

    /// The next time that counts: that of a heartbeat is within its hours.
    fn next_within(&self, hours: Option<Hours>) -> Option<Timestamp> {
        let due = self.next_due?;
        let Some((hours, times)) = hours.zip(self.times().ok()) else { return Some(due) };
        let before = Timestamp(due.0 - 1);
        let within = heartbeat::next(&times, &self.timezone, Some(hours), before, 1);
        Some(within.first().copied().unwrap_or(due))
    }

    pub fn entity(&self, db: Db<'_>) -> Result<Schedule> {
        let hours = self.hours(db)?;
        let last = schedule::fires(db, self.id, 1)?.pop();
        let last = last.map(|fire| fired(db, self.agent, fire)).transpose()?;
        Ok(Schedule {
            id: ScheduleId::new(self.id),
            scope: self.scope.clone(),
            agent: Target::member(self.agent_name.clone(), self.scope.clone()),
            name: self.name.clone(),
            maker: self.maker.clone(),
            spec: self.spec.clone(),
            timezone: self.timezone.clone(),
            hours,
            prompt: self.prompt.clone(),
            only_if_unread: self.only_if_unread,
            overlap: self.overlap,
            missed: self.missed,
            context: self.context,
            max_fires: self.max_fires,
            fires: self.fires,
            state: self.state,
            next_due: self.next_within(hours),
            last: last.map(|last| last.fire),
            created_at: self.created_at,
        })
    }
}

/// A judged due time of an agent's schedule with the run that came of it, and what holds its
/// message. If no run has had the message, and it is held or was discarded, the time was skipped.
pub fn fired(db: Db<'_>, agent: i64, mut fire: Fire) -> Result<Fired> {
    let given = fire.message.map_or(Ok(None), |id| delivery::find(db, agent, id.number()))?;
    let Some(given) = given else { return Ok(Fired { fire, run: None }) };
    let run = given.run.map(RunId::new);
    let reason = match given.state {
        DeliveryState::Held => given.held_reason.map(|why| format!("{}: {why}", Fire::HELD)),
        DeliveryState::Dropped if run.is_none() => Some(DISCARDED.to_owned()),
        _ => None,
    };
    if reason.is_some() {
        fire.reason = reason;
        if run.is_none() {
            fire.outcome = FireOutcome::Skipped;
        }
    }
    Ok(Fired { fire, run })
}

/// Announces a schedule as it now stands.
pub fn announce(cx: &mut Cx<'_>, row: &ScheduleRow) -> Result<()> {
    let schedule = row.entity(cx.db)?;
    cx.emit(&row.scope, EventBody::ScheduleChanged(Box::new(schedule)))
}

/// All schedules that go on.
pub fn live(db: Db<'_>) -> Result<Vec<Schedule>> {
    ScheduleRow::all(db, None, false)?.iter().map(|row| row.entity(db)).collect()
}

/// The schedules of an agent that go on.
pub fn of_agent(db: Db<'_>, agent: i64) -> Result<Vec<Schedule>> {
    ScheduleRow::of_agent(db, agent)?.iter().map(|row| row.entity(db)).collect()
}
