//! The start of a workflow: its scope, its agents, its kickoff. The first message and `running`
//! are one transaction, so a start is whole or has failed.

use std::{collections::BTreeMap, ops::Range};

use agent_worker_protocol::{
    agent::{MemberKind, Origin, Wanted},
    channel::Intent,
    event::{Cursor, EventBody},
    id::ResourceId,
    mention::DATA,
    name::Name,
    resource::ResourceType,
    target::Scope,
    workflow::{Limits, Mode, Started, WorkflowState},
};
use agent_worker_workflow_file::template::{Rendered, Template};
use rusqlite::params;

use crate::{
    changes::{
        message::{
            conversation::GroupRow,
            post::{self, Draft},
        },
        question,
        workflow::purge,
    },
    context::cx::Cx,
    entities::feed,
    error::OpError,
    ops::{
        document::read,
        resource,
        schedule::change::{self, NewSchedule},
    },
    rows::{
        agent::{self, AgentConfig, AgentRow, NewAgent},
        daemon_state, delivery,
        word::{Json, Word},
        workflow::{self, ScopeRow},
    },
    rules::budget,
};

/// A workflow that was checked and can be started.
#[derive(Debug, Clone)]
pub struct Launch {
    pub scope: Scope,
    /// Whether it ends by itself
    pub mode: Mode,
    /// Whether earlier messages and documents are archived first
    pub fresh: bool,
    pub yaml: String,
    /// The folder it is in
    pub folder: String,
    /// The caller's search path for programs
    pub path_env: Option<String>,
    /// The caller's home folder
    pub home: Option<String>,
    /// What it may use
    pub limits: Limits,
    /// The only member that writes documents
    pub document_owner: Option<Name>,
    /// Its agents, in the order of the file
    pub agents: Vec<LaunchAgent>,
    /// What it begins with, unless setup steps come first
    pub begin: Begin,
}

/// How a generation begins.
#[derive(Debug, Clone)]
pub enum Begin {
    /// With setup steps, which the supervisor runs
    Setup,
    /// At once
    Kickoff(Option<Kickoff>),
}

/// An agent of a workflow file.
#[derive(Debug, Clone)]
pub struct LaunchAgent {
    pub name: Name,
    pub kind: MemberKind,
    pub backend: String,
    pub model: Option<String>,
    pub system: Option<String>,
    pub role: Option<String>,
    pub display_name: Option<String>,
    pub config: AgentConfig,
    pub schedules: Vec<NewSchedule>,
}

/// The first message, with the values that are put into it.
#[derive(Debug, Clone)]
pub struct Kickoff {
    pub template: Template,
    /// The values it may name
    pub values: BTreeMap<String, String>,
}

/// Starts a workflow, or lets a stopped or stalled one go on.
pub fn launch(cx: &mut Cx<'_>, launch: &Launch) -> Result<Started, OpError> {
    cx.operator_only("starting a workflow")?;
    let cursor = Cursor { epoch: Some(daemon_state::epoch(cx.db)?), seq: feed::range(cx.conn)?.1 };
    let known = ScopeRow::find(cx.conn, &launch.scope)?;
    if let Some(row) = &known {
        check_is_free(row)?;
    }
    let archived = match &known {
        Some(row) if launch.fresh => Some(purge::archive(cx, row)?),
        _ => None,
    };
    let row = match known.filter(|_| archived.is_none()) {
        Some(row) => row,
        None => workflow::insert(cx, &launch.scope, launch.mode)?,
    };
    let last_seq = GroupRow::channel(cx.conn, &row)?.last_seq;
    let goes_on = matches!(row.state, WorkflowState::Stopped | WorkflowState::Stalled)
        && row.was_kicked_off()
        && row.generation > 0;
    describe(cx, &row, launch)?;
    if goes_on {
        sync_agents(cx, &row, launch, false)?;
        budget::release_allowed(cx, row.id)?;
        let row = ScopeRow::by_id(cx.conn, row.id)?;
        workflow::go_on(cx, &row)?;
    } else {
        begin(cx, &row, launch)?;
    }
    cx.judge_now()?;
    let row = ScopeRow::by_id(cx.conn, row.id)?;
    Ok(Started {
        workflow: row.entity(cx.conn)?,
        continued: goes_on,
        archived,
        cursor: cursor.to_string(),
        last_seq,
        warnings: Vec::new(),
    })
}

/// Refuses to start what is live.
pub fn check_is_free(row: &ScopeRow) -> Result<(), OpError> {
    if !row.state.is_live() {
        return Ok(());
    }
    Err(OpError::conflict(format!("{} is {} already", row.scope, workflow::word(row.state))).hint(
        format!(
            "agent-worker peek {} --follow shows it; --tag NAME starts another beside it",
            row.scope
        ),
    ))
}

/// Notes what the file says of the scope itself.
pub fn describe(cx: &mut Cx<'_>, row: &ScopeRow, launch: &Launch) -> Result<(), OpError> {
    let sql = "UPDATE workflows SET mode = ?2, config_yaml = ?3, folder = ?4, path_env = ?5,
                   home = ?6, limits = ?7, document_owner = ?8 WHERE id = ?1";
    cx.conn.prepare_cached(sql)?.execute(params![
        row.id,
        Word(launch.mode),
        launch.yaml,
        launch.folder,
        launch.path_env,
        launch.home,
        Json(launch.limits),
        launch.document_owner.as_ref().map(Name::as_str)
    ])?;
    cx.touch_scope(row.id);
    if row.document_owner != launch.document_owner {
        for document in read::list(cx.conn, Some(row.id))? {
            cx.emit(&row.scope, EventBody::DocumentChanged(document))?;
        }
    }
    Ok(())
}

/// Begins a new generation: open mail of earlier ones is dropped, what was used counts no more.
pub fn begin(cx: &mut Cx<'_>, row: &ScopeRow, launch: &Launch) -> Result<(), OpError> {
    for member in AgentRow::of_scope(cx.conn, row.id)?.iter().filter(|member| member.works()) {
        if row.was_kicked_off() {
            delivery::drop_open(cx, member.id)?;
        } else {
            carry_over(cx, row, member.id)?;
        }
    }
    if row.was_kicked_off() {
        question::close_of_scope(cx, row.id, "its workflow was started anew")?;
    }
    let sql = "UPDATE workflows SET generation = generation + 1, tokens_used = 0, cost_used = 0,
                   runs_used = 0, duration_used = 0, running_since = NULL, started_at = ?2,
                   state = 'created' WHERE id = ?1";
    cx.conn.prepare_cached(sql)?.execute(params![row.id, cx.now.0])?;
    sync_agents(cx, row, launch, true)?;
    match &launch.begin {
        Begin::Setup => workflow::enter(cx, row.id, WorkflowState::SettingUp, None),
        Begin::Kickoff(kickoff) => kick_off(cx, row.id, kickoff.as_ref()),
    }
}

/// Mail of a generation that never got past its setup was told to wait: it is the next one's.
pub fn carry_over(cx: &mut Cx<'_>, row: &ScopeRow, agent: i64) -> Result<(), OpError> {
    let waiting = delivery::open(cx.conn, agent, u32::MAX)?;
    for mail in waiting.into_iter().chain(delivery::kept(cx.conn, agent)?) {
        cx.conn
            .prepare_cached("UPDATE messages SET generation = ?2 WHERE seq = ?1")?
            .execute([mail.seq, row.generation + 1])?;
    }
    Ok(())
}

/// Makes the scope's agents those of the file. Agents made with `new` stay as they are.
pub fn sync_agents(
    cx: &mut Cx<'_>,
    row: &ScopeRow,
    launch: &Launch,
    is_new_generation: bool,
) -> Result<(), OpError> {
    for member in AgentRow::of_scope(cx.conn, row.id)? {
        let is_named = launch.agents.iter().any(|agent| agent.name == member.name);
        if member.origin == Origin::File && !is_named {
            agent::remove(cx, &member)?;
        }
    }
    for spec in &launch.agents {
        let new = NewAgent {
            name: &spec.name,
            kind: spec.kind,
            origin: Origin::File,
            model: spec.model.as_deref(),
            backend: Some(&spec.backend),
            system: spec.system.as_deref(),
            role: spec.role.as_deref(),
            display_name: spec.display_name.as_deref(),
            config: &spec.config,
        };
        let member = match AgentRow::find(cx.conn, row.id, spec.name.as_str())? {
            None => agent::insert(cx, row, &new)?,
            Some(member) => {
                agent::update(cx, member.id, &new)?;
                if is_new_generation && member.wanted != Wanted::Active {
                    agent::activate(cx, &member)?;
                }
                member
            }
        };
        change::sync(cx, &member, &spec.schedules, is_new_generation)?;
    }
    Ok(())
}

/// Sends the kickoff and has the scope run.
pub fn kick_off(cx: &mut Cx<'_>, id: i64, kickoff: Option<&Kickoff>) -> Result<(), OpError> {
    cx.conn
        .prepare_cached("UPDATE workflows SET kicked_off = generation WHERE id = ?1")?
        .execute([id])?;
    change::begin_scope(cx, id)?;
    workflow::enter(cx, id, WorkflowState::Running, None)?;
    cx.judge(id);
    let Some(kickoff) = kickoff else { return Ok(()) };
    let scope = ScopeRow::by_id(cx.conn, id)?;
    let group = GroupRow::channel(cx.conn, &scope)?;
    let person = AgentRow::by_name(cx.conn, &scope, &Name::person())?;
    let rendered = render(cx, &scope, kickoff)?;
    let members = AgentRow::of_scope(cx.conn, id)?;
    // Mentions come from the template: text in a value neither mentions a member nor hides a
    // mention.
    let (mentions, recipients) = post::mentioned(&masked(&rendered), &members, person.id);
    let draft = Draft {
        sender: Some(&person),
        data: &rendered.data,
        intent: Intent::Request,
        mentions,
        recipients,
        ..Draft::new(&scope, &group, &rendered.text)
    };
    post::post(cx, &draft).map(drop)
}

/// Inserts the values. A long value becomes its first part and a resource with the whole text.
pub fn render(cx: &mut Cx<'_>, scope: &ScopeRow, kickoff: &Kickoff) -> Result<Rendered, OpError> {
    let most = cx.settings.messages.value_bytes;
    let mut values = kickoff.values.clone();
    let long: Vec<String> = kickoff
        .template
        .names()
        .filter(|(name, _)| values.get(*name).is_some_and(|value| value.len() > most))
        .map(|(name, _)| name.to_owned())
        .collect();
    for name in long {
        let Some(value) = values.remove(&name) else { continue };
        let id = store_value(cx, scope, &value)?;
        let head = &value[..value.floor_char_boundary(most)];
        let shown = format!("{head}\n[… {} bytes in all: {id} has the whole]", value.len());
        values.insert(name, shown);
    }
    kickoff
        .template
        .render(|name| values.get(name).cloned())
        .map_err(|unknown| OpError::invalid(unknown.to_string()))
}

pub fn store_value(cx: &mut Cx<'_>, scope: &ScopeRow, value: &str) -> Result<ResourceId, OpError> {
    let is_diff = value.starts_with("diff ") || value.contains("\ndiff --git ");
    let new = resource::NewResource {
        group: None,
        content_type: if is_diff { ResourceType::Diff } else { ResourceType::Text },
        content: value,
        created_by: Name::PERSON,
        run: None,
    };
    resource::store(cx, scope, &new)
}

/// The text with each value as a single sign that is part of no name.
pub fn masked(rendered: &Rendered) -> String {
    let mut text = String::new();
    let mut done = 0;
    for Range { start, end } in rendered.data.iter().cloned() {
        text.push_str(&rendered.text[done..start]);
        text.push(DATA);
        done = end;
    }
    text.push_str(&rendered.text[done..]);
    text
}

/// How a setup ended.
#[derive(Debug, Clone)]
pub enum SetupEnd {
    /// All steps are done
    Done(Option<Kickoff>),
    /// A required output is empty
    NothingToDo { output: String },
    Failed {
        /// Which, and what it said
        reason: String,
    },
}

/// Notes which step of a setup runs. False if the setup is no longer wanted.
pub fn note_step(cx: &mut Cx<'_>, id: i64, generation: i64, step: &str) -> Result<bool, OpError> {
    if !is_setting_up(cx, id, generation)? {
        return Ok(false);
    }
    cx.conn
        .prepare_cached("UPDATE workflows SET setup = ?2 WHERE id = ?1")?
        .execute(params![id, step])?;
    cx.touch_scope(id);
    Ok(true)
}

/// Ends a setup: kickoff and `running` in one transaction, or its end without a kickoff.
pub fn end_setup(cx: &mut Cx<'_>, id: i64, generation: i64, end: &SetupEnd) -> Result<(), OpError> {
    if !is_setting_up(cx, id, generation)? {
        return Ok(());
    }
    match end {
        SetupEnd::Done(kickoff) => kick_off(cx, id, kickoff.as_ref()),
        SetupEnd::NothingToDo { output } => {
            let reason = format!("nothing to do: `{output}` is empty");
            workflow::enter(cx, id, WorkflowState::Completed, Some(&reason))
        }
        SetupEnd::Failed { reason } => workflow::enter(cx, id, WorkflowState::Failed, Some(reason)),
    }
}

pub fn is_setting_up(cx: &Cx<'_>, id: i64, generation: i64) -> Result<bool, OpError> {
    let sql = "SELECT 1 FROM workflows WHERE id = ?1 AND generation = ?2 AND state = 'setting_up'";
    Ok(cx.conn.prepare_cached(sql)?.exists([id, generation])?)
}
