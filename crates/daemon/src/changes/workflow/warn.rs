//! What a start says beside its answer: what it changes that the user may not expect.

use agent_worker_protocol::{Name, Origin, Problem, Wanted};

use crate::{
    changes::message::delivery,
    context::Cx,
    error::Result,
    rows::{AgentRow, ScheduleRow, WorkflowRow},
    rules::{blocker::counted, schedule::spec::NewSchedule, start::Launch},
};

/// Agents that were created or hired, and that the file now names too.
pub fn taken_over(cx: &Cx<'_>, row: &WorkflowRow, launch: &Launch) -> Result<Vec<Problem>> {
    let mut members = AgentRow::of_scope(cx.db, row.id)?;
    members.retain(|it| it.works() && it.origin != Origin::File && launch.names(&it.name));
    let warnings = members.iter().map(|member| {
        let target = member.target();
        let how = if member.depth > 0 { "hired" } else { "created with `new`" };
        let text = format!("{target}, which was {how}, now has the settings of the file");
        Problem::warning(text).hint(format!("agent-worker info {target}"))
    });
    Ok(warnings.collect())
}

/// Agents that stay stopped in a workflow that continues, as all of an archive are.
pub fn stopped(cx: &Cx<'_>, row: &WorkflowRow) -> Result<Option<Problem>> {
    let mut members = AgentRow::of_scope(cx.db, row.id)?;
    members.retain(|member| member.works() && member.wanted == Wanted::Stopped);
    if members.is_empty() {
        return Ok(None);
    }
    let targets: Vec<_> = members.iter().map(|member| member.target().to_string()).collect();
    let warning = Problem::warning(format!("still stopped: {}", targets.join(", ")));
    Ok(Some(warning.hint(format!("agent-worker resume {}", targets.join(" ")))))
}

/// What is discarded with members that are left out of the file.
pub fn discarded(cx: &Cx<'_>, row: &WorkflowRow, launch: &Launch) -> Result<Vec<Problem>> {
    let mut warnings = Vec::new();
    for member in AgentRow::of_scope(cx.db, row.id)?.iter().filter(|it| launch.leaves_out(it)) {
        let mut mail = delivery::not_ended(cx, member.id)?;
        mail.retain(|row| row.wakes);
        if let Some(first) = mail.first() {
            let waiting = counted(i64::try_from(mail.len()).unwrap_or(i64::MAX), "message");
            let text = format!(
                "{} is no longer in the file: it was removed, with {waiting} that waited for it",
                member.target()
            );
            warnings
                .push(Problem::warning(text).hint(format!("agent-worker why msg_{}", first.seq)));
        }
    }
    Ok(warnings)
}

/// Schedules of the user that others in the file have the names of.
pub fn replaced_schedules(cx: &Cx<'_>, row: &WorkflowRow, launch: &Launch) -> Result<Vec<Problem>> {
    let mut warnings = Vec::new();
    for spec in &launch.agents {
        let Some(member) = AgentRow::find(cx.db, row.id, spec.name.as_str())? else { continue };
        let is_other = |set: &ScheduleRow| {
            let same = spec.schedules.iter().find(|new| new.name == set.name);
            same.is_some_and(|new| *new != NewSchedule::of(set))
        };
        let mut set = ScheduleRow::of_agent(cx.db, member.id)?;
        set.retain(|set| set.maker == Name::person() && is_other(set));
        warnings.extend(set.iter().map(|set| {
            let (name, target) = (&set.name, member.target());
            let text =
                format!("schedule {name} of {target}, which you set, was replaced by the file's");
            Problem::warning(text).hint(format!("agent-worker schedule list {target} --all"))
        }));
    }
    Ok(warnings)
}
