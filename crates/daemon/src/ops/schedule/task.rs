//! What agents do with schedules of their own: tasks. Those of others they neither see nor change.

use agent_worker_protocol::{
    BadInterval, Due, Interval, Limits, Missed, Name, Overlap, RunContext, ScheduleId,
    ScheduleState, ScheduleTask, Target, Task, TaskCancel, TaskList, TaskPause, TaskResume,
    TaskType, Tasks, Timestamp, nearest::nearest, schedule::long_enough,
};

use crate::{
    changes::schedule::{change, fire},
    context::{Cx, Run},
    error::{OpError, Result},
    rows::{AgentRow, ScheduleRow, WorkflowRow, schedule},
    rules::{
        offer,
        schedule::{
            due,
            spec::{self, NewSchedule},
        },
    },
};

/// The most tasks of an agent that are not completed.
const MOST: usize = 10;

/// The most tasks that are listed. Of more, the oldest completed ones are left out.
const LISTED: usize = 30;

/// Characters of a prompt that are shown in a list.
const SHOWN: usize = 400;

/// How many due times are looked at for two that are too near to each other.
const LOOKED_AT: usize = 100;

impl Run for ScheduleTask {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Task> {
        let me = cx.member()?.expect_agent()?;
        offer::check_home(&me)?;
        spec::check_prompt(Some(&self.prompt)).map_err(OpError::invalid)?;
        let scope = WorkflowRow::by_id(cx.db, me.scope_id)?;
        let rows = ScheduleRow::of_agent(cx.db, me.id)?;
        let name = match &self.name {
            Some(name) => name.clone(),
            None => free_name(&rows),
        };
        check_place(&rows, &me, &name)?;
        let least = scope.limits.task_interval.unwrap_or(Limits::TASK_INTERVAL);
        let new = NewSchedule {
            name,
            maker: me.name.clone(),
            spec: due(self.schedule_type, &self.schedule_value, least)?,
            prompt: Some(self.prompt.clone()),
            timezone: spec::zone_of(cx, &scope)?,
            only_if_unread: false,
            overlap: Overlap::Skip,
            missed: Missed::Once,
            context: self.context_mode.unwrap_or(RunContext::Isolated),
            max_fires: None,
            hop: cx.run().map_or(0, |run| run.hop),
        };
        check_apart(&new, cx.now, least)?;
        check_begin(cx, &me, &new, least)?;
        let made = change::add(cx, &me, &new)?;
        task(cx, &ScheduleRow::by_id(cx.db, made.id.number())?)
    }
}

impl Run for TaskList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Tasks> {
        let me = cx.member()?;
        let mut rows = all_of(cx, &me)?;
        let mut surplus = rows.len().saturating_sub(LISTED);
        rows.retain(|row| {
            let is_left_out = surplus > 0 && row.state == ScheduleState::Completed;
            surplus -= usize::from(is_left_out);
            !is_left_out
        });
        let mut tasks: Vec<Task> =
            rows.iter().map(|row| task(cx, row)).collect::<Result<_, _>>()?;
        for task in &mut tasks {
            shorten(&mut task.prompt);
        }
        Ok(Tasks { tasks })
    }
}

impl Run for TaskPause {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Task> {
        let mut row = own(cx, &self.task)?;
        if row.state == ScheduleState::Active {
            let me = row.agent_name.clone();
            fire::pause(cx, &mut row, Some(me))?;
        }
        task(cx, &row)
    }
}

impl Run for TaskResume {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Task> {
        let row = own(cx, &self.task)?;
        check_free(&row)?;
        let id = row.id;
        if row.state == ScheduleState::Paused {
            fire::resume(cx, row)?;
        }
        task(cx, &ScheduleRow::by_id(cx.db, id)?)
    }
}

impl Run for TaskCancel {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Task> {
        let row = own(cx, &self.task)?;
        check_free(&row)?;
        let id = row.id;
        change::complete(cx, row)?;
        task(cx, &ScheduleRow::by_id(cx.db, id)?)
    }
}

/// Leaves the beginning of a long prompt.
fn shorten(prompt: &mut String) {
    if let Some((end, _)) = prompt.char_indices().nth(SHOWN) {
        prompt.truncate(end);
        prompt.push('…');
    }
}

/// Reads when a task is due. The digits alone of an interval are milliseconds.
fn due(form: TaskType, value: &str, least: Interval) -> Result<Due> {
    let value = value.trim();
    let is_millis = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let text = match form {
        TaskType::Interval if is_millis => format!("{value}ms"),
        _ => value.to_owned(),
    };
    let (due, example) = match form {
        TaskType::Cron => (text.parse().map(Due::Cron), "`0 9 * * 1-5`"),
        TaskType::Interval => {
            (interval(&text, least).map(Due::Every), "`30m`, or milliseconds such as `1800000`")
        }
        TaskType::Once => (text.parse().map(Due::At), "`2030-01-31T09:00`"),
    };
    due.map_err(|bad| {
        OpError::invalid(format!("invalid `schedule_value`: {bad}"))
            .hint(format!("write {example} for the type `{}`", form.as_str()))
    })
}

fn interval(text: &str, least: Interval) -> Result<Interval, String> {
    let interval: Interval = text.parse().map_err(|bad: BadInterval| bad.to_string())?;
    // Named is what this workflow allows, which is mostly more than any schedule must be.
    long_enough(interval).map_err(|bad| match least.duration().as_secs() {
        0 => bad,
        _ => format!("`{interval}` is too short: a task is due every {least} at most"),
    })
}

fn free_name(rows: &[ScheduleRow]) -> Name {
    let mut names = (1..).map(|n| format!("task-{n}"));
    let is_free = |name: &String| rows.iter().all(|row| row.name.as_str() != name);
    let free = names.find(is_free).unwrap_or_default();
    free.parse().expect("it is one")
}

/// Refuses a name that another member has given or that may be the id of another task, a task in
/// the place of another that the user paused, and one task more than there may be.
fn check_place(rows: &[ScheduleRow], me: &AgentRow, name: &Name) -> Result<()> {
    if name.as_str().parse::<ScheduleId>().is_ok() {
        return Err(OpError::invalid(format!("invalid `name`: `{name}` is the form of an id"))
            .hint("give the task another `name`"));
    }
    let named = rows.iter().find(|row| row.name == *name);
    if let Some(other) = named.filter(|row| row.maker != me.name) {
        let of = &other.maker;
        let text = format!("a schedule `{name}` of yours already exists, from {of}");
        return Err(OpError::conflict(text).hint("give the task another `name`"));
    }
    named.map_or(Ok(()), check_free)?;
    let count = rows.iter().filter(|row| row.maker == me.name).count();
    if named.is_none() && count >= MOST {
        let text = format!("at most {MOST} tasks are allowed, and you have {count}");
        return Err(OpError::conflict(text).hint("cancel_task ends one: list_tasks shows them"));
    }
    Ok(())
}

/// Refuses to change a task that the user paused.
fn check_free(row: &ScheduleRow) -> Result<()> {
    let Some(by) = row.paused_by.as_ref().filter(|by| **by != row.agent_name) else {
        return Ok(());
    };
    let (name, me) = (&row.name, Target::member(row.agent_name.clone(), row.scope.clone()));
    let text = format!("your task `{name}` was paused by {by}, and only {by} can resume or end it");
    let hint = format!("ask your user: agent-worker schedule {me} resume {name}");
    Err(OpError::denied(text).hint(hint))
}

/// Refuses a task that is due too often.
fn check_apart(new: &NewSchedule, now: Timestamp, least: Interval) -> Result<()> {
    let next: Vec<_> = new.times(now)?.next(now).take(LOOKED_AT).collect();
    if next.windows(2).all(|pair| pair[1].since(pair[0]) >= least.duration()) {
        return Ok(());
    }
    let text = format!("`{}` is too frequent: due times must be at least {least} apart", new.spec);
    Err(OpError::invalid(text)
        .hint(format!("use at least {least}, or ask your user to allow less")))
}

/// Refuses a task that is due too soon. The loop guard does not see tasks that make each other: a
/// single time is as far from now, and any other as far from the last run of a task that has ended,
/// as two times of one task are from each other.
fn check_begin(cx: &Cx<'_>, me: &AgentRow, new: &NewSchedule, least: Interval) -> Result<()> {
    let since = match new.spec {
        Due::At(_) => Some(cx.now),
        Due::Every(_) | Due::Cron(_) => {
            schedule::last_of_ended(cx.db, me.id, &me.name, &new.name, cx.now)?
        }
    };
    let Some(earliest) = since.map(|since| since.after(least.duration())) else { return Ok(()) };
    if new.times(cx.now)?.after(cx.now).is_none_or(|first| first >= earliest) {
        return Ok(());
    }
    // In whole seconds, as it is shown.
    let told = Timestamp(earliest.0.saturating_add(999) / 1000 * 1000);
    Err(OpError::invalid(format!(
        "`{}` is too soon: it cannot be due before {}",
        new.spec,
        due::shown(told, &new.timezone)
    ))
    .hint(format!("write a later time: two runs of a task are at least {least} apart")))
}

/// The tasks of an agent, also those that have ended, in the order in which they were made.
fn all_of(cx: &Cx<'_>, me: &AgentRow) -> Result<Vec<ScheduleRow>> {
    let mut rows = ScheduleRow::all(cx.db, Some(me.scope_id), true)?;
    rows.retain(|row| row.agent == me.id && row.maker == me.name);
    Ok(rows)
}

/// A task of the caller that has not ended, by its name or id.
fn own(cx: &Cx<'_>, wanted: &str) -> Result<ScheduleRow> {
    let me = cx.member()?;
    let rows = ScheduleRow::of_agent(cx.db, me.id)?;
    let mut own: Vec<_> = rows.into_iter().filter(|row| row.maker == me.name).collect();
    let is_wanted =
        |row: &ScheduleRow| row.name.as_str() == wanted || format!("sched_{}", row.id) == wanted;
    if let Some(at) = own.iter().position(is_wanted) {
        return Ok(own.swap_remove(at));
    }
    if all_of(cx, &me)?.iter().any(is_wanted) {
        return Err(OpError::conflict(format!("your task `{wanted}` has ended"))
            .hint("schedule_task makes a new one"));
    }
    let error = OpError::not_found(format!("you have no task `{wanted}`"));
    let names: Vec<_> = own.iter().map(|row| row.name.as_str()).collect();
    Err(match nearest(wanted, names.iter().copied()) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None if names.is_empty() => error.hint("schedule_task creates one"),
        None => error.hint(format!("your tasks: {}", names.join(", "))),
    })
}

fn task(cx: &Cx<'_>, row: &ScheduleRow) -> Result<Task> {
    let shown = |at: Timestamp| due::shown(at, &row.timezone);
    let last = schedule::newest(cx.db, schedule::NEWEST_RAN, row.id)?;
    Ok(Task {
        id: ScheduleId::new(row.id),
        name: row.name.clone(),
        prompt: row.prompt.clone().unwrap_or_default(),
        schedule: row.spec.clone(),
        context_mode: row.context,
        state: row.state,
        next_run: row.next_due.map(shown),
        last_run: last.map(|fire| shown(fire.due_at)),
    })
}
