//! Creates, changes and ends schedules.

use agent_worker_protocol::{Name, Schedule, ScheduleState, WorkflowState};

use crate::{
    context::Cx,
    entities::schedule,
    error::{OpError, Result},
    rows::{AgentRow, NewRow, ScheduleRow, WorkflowRow},
    rules::schedule::{
        heartbeat,
        spec::{self, NewSchedule},
    },
};

/// Makes a schedule in place of one of the same name. Its times count from now.
pub fn add(cx: &mut Cx<'_>, agent: &AgentRow, new: &NewSchedule) -> Result<Schedule> {
    if new.name == spec::heartbeat() && new.maker.as_str() != Name::SYSTEM {
        return Err(OpError::invalid(spec::TAKEN));
    }
    let scope = WorkflowRow::by_id(cx.db, agent.scope_id)?;
    for row in ScheduleRow::of_agent(cx.db, agent.id)? {
        if row.name == new.name {
            complete(cx, row)?;
        }
    }
    let hours = if new.name == spec::heartbeat() { agent.config(cx.db)?.hours } else { None };
    let times = heartbeat::within(new.times(cx.now)?, &new.timezone, hours, cx.now);
    let next_due = times.after(cx.now).filter(|_| scope.state == WorkflowState::Running);
    let id = cx.db.insert(&NewRow {
        scope: scope.id,
        agent: agent.id,
        name: &new.name,
        maker: &new.maker,
        spec: &new.spec,
        prompt: new.prompt.as_deref(),
        timezone: &new.timezone,
        only_if_unread: new.only_if_unread,
        overlap: new.overlap,
        missed: new.missed,
        context: new.context,
        anchor_at: times.anchor().unwrap_or(cx.now),
        next_due,
        state: ScheduleState::Active,
        max_fires: new.max_fires,
        hop: new.hop,
        created_at: cx.now,
    })?;
    let row = ScheduleRow::by_id(cx.db, id)?;
    schedule::announce(cx, &row)?;
    row.entity(cx.db)
}

pub fn complete(cx: &mut Cx<'_>, mut row: ScheduleRow) -> Result<()> {
    (row.state, row.next_due) = (ScheduleState::Completed, None);
    row.save(cx)
}

/// Has the schedules of an agent that is removed be due no more.
pub fn complete_of_agent(cx: &mut Cx<'_>, agent: i64) -> Result<()> {
    ScheduleRow::of_agent(cx.db, agent)?.into_iter().try_for_each(|row| complete(cx, row))
}

/// Completes the tasks of an agent that loses its home: it could not end them itself.
pub fn complete_tasks(cx: &mut Cx<'_>, agent: &AgentRow) -> Result<()> {
    let mut tasks = ScheduleRow::of_agent(cx.db, agent.id)?;
    tasks.retain(|row| row.maker == agent.name);
    tasks.into_iter().try_for_each(|row| complete(cx, row))
}

/// Has all schedules of a scope that is put away be due no more.
pub fn complete_of_scope(cx: &mut Cx<'_>, scope: i64) -> Result<()> {
    ScheduleRow::all(cx.db, Some(scope), false)?.into_iter().try_for_each(|row| complete(cx, row))
}

/// Makes the schedules of an agent those of its workflow file. Schedules that the user or an agent
/// set stay, unless the file has a schedule of the same name. Unchanged schedules go on.
pub fn sync(
    cx: &mut Cx<'_>,
    agent: &AgentRow,
    all: &[NewSchedule],
    is_new_generation: bool,
) -> Result<()> {
    let mut known = Vec::new();
    for mut row in ScheduleRow::of_agent(cx.db, agent.id)? {
        let named = all.iter().find(|new| new.name == row.name);
        let is_as_it_was = named.is_some_and(|new| *new == NewSchedule::of(&row));
        if is_as_it_was {
            known.push(row.name.clone());
            if is_new_generation && row.state == ScheduleState::Paused {
                row.state = ScheduleState::Active;
                row.save(cx)?;
            } else if row.is_heartbeat() {
                // The hours are the agent's, and may be others now.
                schedule::announce(cx, &row)?;
            }
        } else if row.maker.as_str() == Name::SYSTEM {
            complete(cx, row)?;
        }
    }
    for new in all.iter().filter(|new| !known.contains(&new.name)) {
        add(cx, agent, new)?;
    }
    Ok(())
}

impl ScheduleRow {
    /// Stores what changes of it, and announces it.
    pub fn save(&self, cx: &mut Cx<'_>) -> Result<()> {
        self.update(cx.db)?;
        schedule::announce(cx, self)
    }
}
