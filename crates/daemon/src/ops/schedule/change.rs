//! What people, workflow files and workflows do with schedules.

use agent_worker_protocol::{
    Due, MemberKind, Name, Schedule, ScheduleClear, SchedulePause, ScheduleResume, ScheduleRun,
    ScheduleSet, ScheduleState, Schedules, SchedulesCleared, Target, Wanted, WorkflowState,
    nearest::nearest,
};

use crate::{
    changes::schedule::{change, fire},
    context::{Cx, Run},
    error::{OpError, Result},
    rows::{AgentRow, ScheduleRow, WorkflowRow, workflow},
    rules::{
        budget, hint,
        schedule::{
            self,
            fire::Missing,
            spec::{self, NewSchedule},
        },
    },
};

/// The agent that a request names, for a change by the person.
fn agent_of(cx: &Cx<'_>, target: &Target) -> Result<AgentRow> {
    cx.operator_only("changing schedules")?;
    cx.locate_member(target)?.expect_agent()
}

/// The agent that a request names, for a change by the person, and its schedules that are meant:
/// the named one, or all of them. A completed schedule is refused.
fn meant(
    cx: &Cx<'_>,
    target: &Target,
    name: Option<&Name>,
) -> Result<(AgentRow, Vec<ScheduleRow>)> {
    let agent = agent_of(cx, target)?;
    let target = agent.target();
    let mut rows = ScheduleRow::of_agent(cx.db, agent.id)?;
    let names: Vec<_> = rows.iter().map(|row| row.name.to_string()).collect();
    rows.retain(|row| name.is_none_or(|name| *name == row.name));
    if !rows.is_empty() {
        return Ok((agent, rows));
    }
    let all = ScheduleRow::all(cx.db, Some(agent.scope_id), true)?;
    let mut over = all.iter().filter(|row| row.agent == agent.id);
    if let Some(row) = over.find(|row| name.is_some_and(|name| *name == row.name)) {
        let text = format!("the schedule `{}` of `{target}` is completed or was removed", row.name);
        let list = format!("agent-worker schedule list {target} --all");
        return Err(OpError::conflict(text).hint(list));
    }
    let error = OpError::not_found(match name {
        Some(name) if !names.is_empty() => format!("`{target}` has no schedule `{name}`"),
        _ => format!("`{target}` has no schedule"),
    });
    let near = name.and_then(|name| nearest(name.as_str(), names.iter().map(String::as_str)));
    Err(match near {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None if names.is_empty() => error.hint(format!("agent-worker schedule {target} set 30m")),
        None => error.hint(format!("its schedules: {}", names.join(", "))),
    })
}

pub fn told(cx: &Cx<'_>, ids: &[i64]) -> Result<Schedules> {
    let schedules = ids.iter().map(|id| ScheduleRow::by_id(cx.db, *id)?.entity(cx.db));
    Ok(Schedules { schedules: schedules.collect::<Result<_, _>>()? })
}

impl Run for ScheduleSet {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Schedule> {
        let agent = agent_of(cx, &self.target)?;
        spec::check_prompt(self.prompt.as_deref()).map_err(OpError::invalid)?;
        if self.max_fires == Some(0) {
            return Err(OpError::invalid("`max_fires` is at least 1")
                .hint(format!("agent-worker schedule {} clear", agent.target())));
        }
        let timezone = match &self.timezone {
            Some(zone) => zone.clone(),
            None => spec::zone_of(cx, &WorkflowRow::by_id(cx.db, agent.scope_id)?)?,
        };
        let polls = matches!(self.spec, Due::Every(_)) && self.prompt.is_none();
        let new = NewSchedule {
            name: self.name.clone().unwrap_or_else(|| spec::default_name(0)),
            maker: cx.member()?.name,
            spec: self.spec.clone(),
            prompt: self.prompt.clone(),
            timezone,
            only_if_unread: self.only_if_unread.unwrap_or(polls),
            overlap: self.overlap.unwrap_or_default(),
            missed: self.missed.unwrap_or_default(),
            context: self.context.unwrap_or_default(),
            max_fires: self.max_fires.map(i64::from),
            hop: 0,
        };
        change::add(cx, &agent, &new)
    }
}

impl Run for ScheduleClear {
    fn run(&self, cx: &mut Cx<'_>) -> Result<SchedulesCleared> {
        let (agent, mut rows) = meant(cx, &self.target, self.name.as_ref())?;
        // No other command would bring it back.
        rows.retain(|row| !row.is_heartbeat());
        if rows.is_empty() {
            let target = agent.target();
            let text = format!("cannot remove the heartbeat of `{target}`: it can be paused");
            let hint = format!("agent-worker schedule {target} pause {}", spec::heartbeat());
            return Err(OpError::invalid(text).hint(hint));
        }
        let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
        rows.into_iter().try_for_each(|row| change::complete(cx, row))?;
        let Schedules { schedules } = told(cx, &ids)?;
        let mut held = schedule::fire::held(cx.db, agent.id)?;
        held.retain(|(_, row)| ids.contains(&row.id));
        Ok(SchedulesCleared { schedules, held: held.into_iter().map(|(id, _)| id).collect() })
    }
}

impl Run for SchedulePause {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Schedules> {
        let (_, rows) = meant(cx, &self.target, self.name.as_ref())?;
        let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
        // Also what an agent paused: from now on only the user resumes it.
        let user = Name::person();
        for mut row in rows.into_iter().filter(|row| row.paused_by.as_ref() != Some(&user)) {
            fire::pause(cx, &mut row, Some(user.clone()))?;
        }
        told(cx, &ids)
    }
}

impl Run for ScheduleResume {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Schedules> {
        let (_, rows) = meant(cx, &self.target, self.name.as_ref())?;
        let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
        for row in rows.into_iter().filter(|row| row.state == ScheduleState::Paused) {
            fire::resume(cx, row)?;
        }
        told(cx, &ids)
    }
}

impl Run for ScheduleRun {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Schedule> {
        let (agent, mut rows) = meant(cx, &self.target, self.name.as_ref())?;
        let names: Vec<_> = rows.iter().map(|row| row.name.to_string()).collect();
        let Some(mut row) = rows.pop().filter(|_| rows.is_empty()) else {
            return Err(OpError::invalid(format!("`{}` has several schedules", agent.target()))
                .hint(format!("name one of them: {}", names.join(", "))));
        };
        check_can_fire(cx, &agent, &row)?;
        let now = cx.now;
        if !fire::fire(cx, &mut row, &agent, now, Missing::default())? {
            return Err(OpError::conflict(format!("the schedule {} has just fired", row.name)));
        }
        if row.max_fires.is_some_and(|most| row.fires >= most) {
            (row.state, row.next_due) = (ScheduleState::Completed, None);
        }
        row.save(cx)?;
        row.entity(cx.db)
    }
}

fn check_can_fire(cx: &Cx<'_>, agent: &AgentRow, row: &ScheduleRow) -> Result<()> {
    let target = agent.target();
    let scope = WorkflowRow::by_id(cx.db, agent.scope_id)?;
    if scope.state != WorkflowState::Running {
        let state = workflow::word(scope.state);
        let text = format!("cannot run the schedule: {} is {state}", scope.scope);
        return Err(OpError::conflict(text).hint(hint::of_state(&scope)));
    }
    if agent.wanted != Wanted::Active {
        let state = if agent.wanted == Wanted::Paused { "paused" } else { "stopped" };
        return Err(OpError::conflict(format!("cannot wake `{target}`: it is {state}"))
            .hint(format!("agent-worker resume {target}")));
    }
    if schedule::fire::open(cx.db, row)?.is_some() {
        let text = format!("the last message of schedule {} of `{target}` is still open", row.name);
        return Err(OpError::conflict(text).hint(format!("agent-worker why {target}")));
    }
    budget::check_open(cx, &scope, &format!("cannot start `{target}`"))?;
    debug_assert_ne!(agent.kind, MemberKind::Person);
    Ok(())
}
