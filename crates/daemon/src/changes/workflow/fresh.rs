//! A start with `--fresh`: the scope is archived, and the agents that the user created go on in
//! another of its name.

use std::collections::BTreeSet;

use agent_worker_protocol::{Name, Problem, ScheduleState, Scope, Wanted};

use crate::{
    changes::{
        agent::{member, state},
        schedule::{change, fire},
        workflow::{new, purge},
    },
    context::Cx,
    error::Result,
    rows::{AgentRow, NewAgent, ScheduleRow, WorkflowRow},
    rules::{schedule::spec::NewSchedule, start::Launch},
};

/// Archives a scope and makes another in its place, with the agents that stay. Returns it and the
/// archive's address. Warns of schedules of the user that end.
pub fn replace(
    cx: &mut Cx<'_>,
    old: &WorkflowRow,
    launch: &Launch,
    warnings: &mut Vec<Problem>,
) -> Result<(WorkflowRow, Scope)> {
    let mut schedules = ScheduleRow::all(cx.db, Some(old.id), false)?;
    let mut staying = AgentRow::of_scope(cx.db, old.id)?;
    staying.retain(|member| launch.keeps(member));
    let archived = purge::archive(cx, old)?;
    let row = new::insert(cx, &launch.scope, launch.mode)?;
    let mut kept = BTreeSet::new();
    for before in &staying {
        let member = go_on(cx, &row, before)?;
        for schedule in schedules.iter().filter(|schedule| schedule.agent == before.id) {
            if go_on_with(cx, &member, schedule)? {
                kept.insert(schedule.id);
            }
        }
    }
    schedules.retain(|schedule| !kept.contains(&schedule.id));
    warnings.extend(ended(&schedules, &archived));
    Ok((row, archived))
}

/// Makes a member in a scope that is as this one was before. What that one did stays in the
/// archive.
fn go_on(cx: &mut Cx<'_>, scope: &WorkflowRow, before: &AgentRow) -> Result<AgentRow> {
    let (system, config) = (before.system(cx.db)?, before.config(cx.db)?);
    let created_at = before.created_at(cx.db)?;
    let new = NewAgent {
        model: before.model.as_deref(),
        backend: before.backend.as_deref(),
        system: system.as_deref(),
        role: before.role.as_deref(),
        display_name: before.display_name.as_deref(),
        home: before.home.as_ref(),
        ..NewAgent::new(scope.id, &before.name, (before.kind, before.origin), &config, created_at)
    };
    let member = member::insert(cx, scope, &new)?;
    if let Some(reason) = &before.paused_reason {
        state::pause(cx, member.id, reason)?;
    } else if before.wanted == Wanted::Stopped {
        state::set_stopped(cx, &member)?;
    }
    Ok(member)
}

/// Gives a member the schedule that it had before; false if the last time of that has passed.
fn go_on_with(cx: &mut Cx<'_>, member: &AgentRow, before: &ScheduleRow) -> Result<bool> {
    let new = NewSchedule { max_fires: before.fires_left(), ..NewSchedule::of(before) };
    if new.times(cx.now).is_err() {
        return Ok(false);
    }
    let id = change::add(cx, member, &new)?.id;
    if before.state == ScheduleState::Paused {
        let mut row = ScheduleRow::by_id(cx.db, id.number())?;
        fire::pause(cx, &mut row, before.paused_by.clone())?;
    }
    Ok(true)
}

/// Says how many of these schedules, which were archived, are the user's own: no file brings them
/// back. `None` if none is.
fn ended(schedules: &[ScheduleRow], archived: &Scope) -> Option<Problem> {
    let of_user = schedules.iter().filter(|schedule| schedule.maker == Name::person());
    let text = match of_user.count() {
        0 => return None,
        1 => "the fresh start has ended 1 schedule that you set".to_owned(),
        many => format!("the fresh start has ended {many} schedules that you set"),
    };
    let hint = format!("agent-worker schedule list {archived} --all");
    Some(Problem::warning(text).hint(hint))
}
