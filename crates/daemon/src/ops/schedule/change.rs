//! What people, workflow files and workflows do with schedules.

use agent_worker_protocol::{
    agent::{MemberKind, Wanted},
    name::Name,
    nearest::nearest,
    schedule::{
        Due, Missed, Overlap, RunContext, Schedule, ScheduleClear, SchedulePause, ScheduleResume,
        ScheduleRun, ScheduleSet, ScheduleState, Schedules, ZoneName,
    },
    target::Target,
    time::Timestamp,
    workflow::WorkflowState,
};
use agent_worker_workflow_file::WorkflowFile;
use rusqlite::{OptionalExtension, params};

use crate::{
    changes::schedule::fire::{self, Missing, PAUSED, STOPPED},
    context::cx::Cx,
    error::OpError,
    ops::list::Run,
    rows::{
        agent::AgentRow,
        schedule::{self, ScheduleRow},
        word::Word,
        workflow::{self, ScopeRow},
    },
    rules::{
        budget, hint,
        schedule::due::{self, Times},
    },
};

/// The longest prompt, in bytes.
pub const LONGEST_PROMPT: usize = 65_536;

/// What a schedule is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSchedule {
    pub name: Name,
    pub maker: Name,
    pub spec: Due,
    pub prompt: Option<String>,
    pub timezone: ZoneName,
    pub only_if_unread: bool,
    pub overlap: Overlap,
    pub missed: Missed,
    pub context: RunContext,
    pub max_fires: Option<i64>,
}

impl NewSchedule {
    /// Whether a schedule is made of this.
    fn is(&self, row: &ScheduleRow) -> bool {
        let of = Self {
            name: row.name.clone(),
            maker: row.maker.clone(),
            spec: row.spec.clone(),
            prompt: row.prompt.clone(),
            timezone: row.timezone.clone(),
            only_if_unread: row.only_if_unread,
            overlap: row.overlap,
            missed: row.missed,
            context: row.context,
            max_fires: row.max_fires,
        };
        *self == of
    }

    /// Its times from an anchor on. Refuses what is never due after it.
    fn times(&self, anchor: Timestamp) -> Result<Times, OpError> {
        let times = Times::of(&self.spec, &self.timezone, anchor).map_err(OpError::invalid)?;
        if times.after(anchor).is_some() {
            return Ok(times);
        }
        Err(OpError::invalid(match &self.spec {
            Due::At(_) => format!("`{}` is in the past", self.spec),
            _ => format!("`{}` never occurs", self.spec),
        }))
    }
}

/// What the `n`th schedule of an agent is called that has no name, counted from 0.
pub fn default_name(n: usize) -> Name {
    let name = if n == 0 { "main".to_owned() } else { format!("main-{}", n + 1) };
    name.parse().expect("it is one")
}

/// Makes a schedule in place of one of the same name. Its times count from now.
pub fn add(cx: &mut Cx<'_>, agent: &AgentRow, new: &NewSchedule) -> Result<Schedule, OpError> {
    let scope = ScopeRow::by_id(cx.conn, agent.scope_id)?;
    for row in ScheduleRow::of_agent(cx.conn, agent.id)? {
        if row.name == new.name {
            complete(cx, row)?;
        }
    }
    let times = new.times(cx.now)?;
    let next_due = times.after(cx.now).filter(|_| scope.state == WorkflowState::Running);
    let sql = "INSERT INTO schedules (scope, agent, name, maker, spec, prompt, timezone,
                   only_if_unread, overlap, missed, context, anchor_at, next_due, state,
                   max_fires, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 'active', ?14,
                   ?12)";
    cx.conn.prepare_cached(sql)?.execute(params![
        scope.id,
        agent.id,
        new.name.as_str(),
        new.maker.as_str(),
        Word(&new.spec),
        new.prompt,
        new.timezone.as_str(),
        new.only_if_unread,
        Word(new.overlap),
        Word(new.missed),
        Word(new.context),
        cx.now.0,
        next_due.map(|at| at.0),
        new.max_fires
    ])?;
    let row = ScheduleRow::by_id(cx.conn, cx.conn.last_insert_rowid())?;
    schedule::announce(cx, &row)?;
    row.entity(cx.conn)
}

pub fn complete(cx: &mut Cx<'_>, mut row: ScheduleRow) -> Result<(), OpError> {
    (row.state, row.next_due) = (ScheduleState::Completed, None);
    row.save(cx)
}

/// Has the schedules of an agent that is removed be due no more.
pub fn complete_of_agent(cx: &mut Cx<'_>, agent: i64) -> Result<(), OpError> {
    for row in ScheduleRow::of_agent(cx.conn, agent)? {
        complete(cx, row)?;
    }
    Ok(())
}

/// Has all schedules of a scope that is put away be due no more.
pub fn complete_of_scope(cx: &mut Cx<'_>, scope: i64) -> Result<(), OpError> {
    for row in ScheduleRow::all(cx.conn, Some(scope), false)? {
        complete(cx, row)?;
    }
    Ok(())
}

/// Makes the schedules of an agent those of its workflow file. Those that somebody set are kept,
/// unless the file has one of the same name; those that are as they were go on.
pub fn sync(
    cx: &mut Cx<'_>,
    agent: &AgentRow,
    all: &[NewSchedule],
    is_new_generation: bool,
) -> Result<(), OpError> {
    let mut known = Vec::new();
    for mut row in ScheduleRow::of_agent(cx.conn, agent.id)? {
        let named = all.iter().find(|new| new.name == row.name);
        let is_as_it_was = named.is_some_and(|new| new.is(&row));
        if is_as_it_was {
            known.push(row.name.clone());
            if is_new_generation && row.state == ScheduleState::Paused {
                row.state = ScheduleState::Active;
                row.save(cx)?;
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

/// A new generation of a scope begins: all times count from now.
pub fn begin_scope(cx: &mut Cx<'_>, scope: i64) -> Result<(), OpError> {
    let sql = "UPDATE schedules SET anchor_at = ?2 WHERE scope = ?1 AND state <> 'completed'";
    cx.conn.prepare_cached(sql)?.execute([scope, cx.now.0])?;
    Ok(())
}

/// A scope runs no more: nothing of it is due until it does.
pub fn scope_stops(cx: &mut Cx<'_>, scope: i64) -> Result<(), OpError> {
    for mut row in ScheduleRow::all(cx.conn, Some(scope), false)? {
        if row.next_due.take().is_some() {
            row.save(cx)?;
        }
    }
    Ok(())
}

/// A scope runs, and did not before.
pub fn scope_goes_on(cx: &mut Cx<'_>, scope: i64) -> Result<(), OpError> {
    for row in ScheduleRow::all(cx.conn, Some(scope), false)? {
        if row.state == ScheduleState::Active {
            go_on(cx, row, &format!("{STOPPED}: its workflow did not run"))?;
        }
    }
    Ok(())
}

/// Has a schedule be due again. What passed meanwhile is noted as passed by.
pub fn go_on(cx: &mut Cx<'_>, mut row: ScheduleRow, reason: &str) -> Result<(), OpError> {
    let kept = i64::try_from(cx.settings.keep.schedules.duration().as_millis()).unwrap_or(i64::MAX);
    let judged = fire::last_judged(cx.conn, row.id)?.unwrap_or(row.anchor_at);
    let from = judged.max(row.anchor_at).max(Timestamp(cx.now.0.saturating_sub(kept)));
    row.state = ScheduleState::Active;
    match row.times() {
        Ok(times) => {
            if let Some(first) = times.after(from).filter(|first| *first <= cx.now) {
                fire::note_passed(cx, &row, &times.passed(first, cx.now), reason)?;
            }
            row.next_due = times.after(from.max(cx.now));
        }
        Err(bad) => return fire::give_up(cx, row, &bad),
    }
    if row.next_due.is_none() {
        row.state = ScheduleState::Completed;
    }
    row.save(cx)
}

/// The zone of a scope's schedules: its file's, else this machine's.
pub fn zone_of(cx: &Cx<'_>, scope: &ScopeRow) -> Result<ZoneName, OpError> {
    let yaml: Option<String> = cx
        .conn
        .prepare_cached("SELECT config_yaml FROM workflows WHERE id = ?1")?
        .query_row([scope.id], |row| row.get(0))
        .optional()?
        .flatten();
    let file = yaml.and_then(|yaml| WorkflowFile::parse(&yaml).value);
    Ok(file.and_then(|file| file.timezone).unwrap_or_else(due::machine))
}

/// A prompt that an agent can be sent.
pub fn check_prompt(prompt: Option<&str>) -> Result<(), String> {
    match prompt {
        Some(text) if text.trim().is_empty() => Err("the prompt of a schedule is empty".to_owned()),
        Some(text) if text.len() > LONGEST_PROMPT => Err(format!(
            "the prompt of a schedule has {} bytes, and it has at most {LONGEST_PROMPT}",
            text.len()
        )),
        _ => Ok(()),
    }
}

/// The agent that a request names, for a change by the person.
pub fn agent_of(cx: &Cx<'_>, target: &Target) -> Result<AgentRow, OpError> {
    cx.operator_only("changing schedules")?;
    cx.locate_member(target)?.expect_agent()
}

/// The schedules of an agent that a request means: the named one, or all of them.
pub fn meant(
    cx: &Cx<'_>,
    agent: &AgentRow,
    name: Option<&Name>,
) -> Result<Vec<ScheduleRow>, OpError> {
    let target = agent.target();
    let mut rows = ScheduleRow::of_agent(cx.conn, agent.id)?;
    let names: Vec<_> = rows.iter().map(|row| row.name.to_string()).collect();
    rows.retain(|row| name.is_none_or(|name| *name == row.name));
    if !rows.is_empty() {
        return Ok(rows);
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

pub fn told(cx: &Cx<'_>, ids: &[i64]) -> Result<Schedules, OpError> {
    let schedules = ids.iter().map(|id| ScheduleRow::by_id(cx.conn, *id)?.entity(cx.conn));
    Ok(Schedules { schedules: schedules.collect::<Result<_, _>>()? })
}

impl Run for ScheduleSet {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Schedule, OpError> {
        let agent = agent_of(cx, &self.target)?;
        check_prompt(self.prompt.as_deref()).map_err(OpError::invalid)?;
        if self.max_fires == Some(0) {
            return Err(OpError::invalid("`max_fires` is at least 1")
                .hint(format!("agent-worker schedule {} clear", agent.target())));
        }
        let timezone = match &self.timezone {
            Some(zone) => zone.clone(),
            None => zone_of(cx, &ScopeRow::by_id(cx.conn, agent.scope_id)?)?,
        };
        let polls = matches!(self.spec, Due::Every(_)) && self.prompt.is_none();
        let new = NewSchedule {
            name: self.name.clone().unwrap_or_else(|| default_name(0)),
            maker: cx.member()?.name,
            spec: self.spec.clone(),
            prompt: self.prompt.clone(),
            timezone,
            only_if_unread: self.only_if_unread.unwrap_or(polls),
            overlap: self.overlap.unwrap_or_default(),
            missed: self.missed.unwrap_or_default(),
            context: self.context.unwrap_or_default(),
            max_fires: self.max_fires.map(i64::from),
        };
        add(cx, &agent, &new)
    }
}

impl Run for ScheduleClear {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Schedules, OpError> {
        let agent = agent_of(cx, &self.target)?;
        let rows = meant(cx, &agent, self.name.as_ref())?;
        let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
        rows.into_iter().try_for_each(|row| complete(cx, row))?;
        told(cx, &ids)
    }
}

impl Run for SchedulePause {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Schedules, OpError> {
        let agent = agent_of(cx, &self.target)?;
        let rows = meant(cx, &agent, self.name.as_ref())?;
        let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
        for mut row in rows.into_iter().filter(|row| row.state == ScheduleState::Active) {
            (row.state, row.next_due) = (ScheduleState::Paused, None);
            row.save(cx)?;
        }
        told(cx, &ids)
    }
}

impl Run for ScheduleResume {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Schedules, OpError> {
        let agent = agent_of(cx, &self.target)?;
        let rows = meant(cx, &agent, self.name.as_ref())?;
        let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
        let runs = ScopeRow::by_id(cx.conn, agent.scope_id)?.state == WorkflowState::Running;
        for mut row in rows.into_iter().filter(|row| row.state == ScheduleState::Paused) {
            if runs {
                go_on(cx, row, &format!("{PAUSED}: the schedule was paused"))?;
            } else {
                row.state = ScheduleState::Active;
                row.save(cx)?;
            }
        }
        told(cx, &ids)
    }
}

impl Run for ScheduleRun {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Schedule, OpError> {
        let agent = agent_of(cx, &self.target)?;
        let mut rows = meant(cx, &agent, self.name.as_ref())?;
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
        row.entity(cx.conn)
    }
}

pub fn check_can_fire(cx: &Cx<'_>, agent: &AgentRow, row: &ScheduleRow) -> Result<(), OpError> {
    let target = agent.target();
    let scope = ScopeRow::by_id(cx.conn, agent.scope_id)?;
    if scope.state != WorkflowState::Running {
        let state = workflow::word(scope.state);
        return Err(OpError::conflict(format!("{} is {state}: nothing fires there", scope.scope))
            .hint(hint::of_state(&scope)));
    }
    if agent.wanted != Wanted::Active {
        let state = if agent.wanted == Wanted::Paused { "paused" } else { "stopped" };
        return Err(OpError::conflict(format!("`{target}` is {state} and is not woken"))
            .hint(format!("agent-worker resume {target}")));
    }
    if fire::last(cx.conn, row)?.is_some_and(|last| last.ended_at.is_none()) {
        return Err(OpError::conflict(format!(
            "the last message of schedule {} of `{target}` is still open",
            row.name
        ))
        .hint(format!("agent-worker why {target}")));
    }
    budget::check_open(cx, &scope, &format!("`{target}` would not start"))?;
    debug_assert_ne!(agent.kind, MemberKind::Person);
    Ok(())
}
