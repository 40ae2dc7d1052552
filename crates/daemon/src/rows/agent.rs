//! Members: rows, entities, and what people do with agents.

use agent_worker_protocol::{
    agent::{
        Agent, AgentCreate, AgentDetail, AgentList, AgentNewSession, AgentRemove, AgentResume,
        AgentShow, AgentState, AgentStop, AgentUsed, AgentWake, Agents, MemberKind, MyStatus,
        MyStatusSet, Origin, Removed, Team, TeamMember, TeamMembers, Wanted,
    },
    backend::{Backend, Command, McpServer, McpTransport, Permissions, Thinking, Tool},
    event::EventBody,
    id::{MessageId, RunId},
    name::Name,
    nearest::nearest,
    ordered::Ordered,
    provider::Provider,
    run::ModelAway,
    schedule::ScheduleSet,
    target::{Scope, Target},
    time::{Interval, Timestamp},
    word::Word as Label,
    workflow::WorkflowState,
};
use agent_worker_workflow_file::{is_too_short, script::Script};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use crate::{
    changes::{self, message::conversation, run::session},
    context::cx::Cx,
    error::OpError,
    ops::{
        document::write,
        group::change,
        list::{self, Run, Surface},
        schedule,
    },
    rows::{
        self, delivery, question,
        run::{self, RunRow},
        word::{Json, Word},
        workflow::{self, ScopeRow},
    },
    rules::{budget, hint, offer, program_model::program_model},
};

/// What an agent's worker is made from, beside what the row says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentConfig {
    /// The mock backend's script, as YAML
    pub script: Option<String>,
    /// Where its tools work
    pub cwd: Option<String>,
    /// Names of environment variables passed on
    pub env: Vec<String>,
    /// Which of these were set in the shell that made it
    pub set_in_shell: Vec<String>,
    /// How long one of its runs may take
    pub timeout: Option<Interval>,
    /// The search path for programs, of an agent made with `new`
    pub path_env: Option<String>,
    /// Where its model is served, if not where its name says
    pub provider: Option<Provider>,
    /// The tools of the workspace that it has
    pub tools: Vec<Tool>,
    /// Which of these it uses unasked
    pub permissions: Permissions,
    /// Its own servers of tools
    pub mcp_servers: Ordered<Label, McpServer>,
    /// The longest answer of its model, in tokens
    pub max_tokens: Option<u32>,
    /// The most rounds of model and tools in one run
    pub max_steps: Option<u32>,
    /// How its program is started, if not by its usual name
    pub command: Option<Command>,
    /// How its program reaches the daemon's tools
    pub mcp: McpTransport,
    /// Whether its workflow offers the tools for proposals
    pub proposals: bool,
    /// Whether its workflow offers the tools for groups
    pub groups: bool,
    /// How much its model thinks
    pub thinking: Option<Thinking>,
}

#[derive(Debug, Clone)]
pub struct AgentRow {
    pub id: i64,
    pub scope_id: i64,
    pub scope: Scope,
    pub name: Name,
    pub kind: MemberKind,
    pub origin: Origin,
    pub model: Option<String>,
    pub backend: Option<String>,
    pub role: Option<String>,
    pub display_name: Option<String>,
    pub wanted: Wanted,
    pub paused_reason: Option<String>,
    pub paused_at: Option<Timestamp>,
    pub not_before: Option<Timestamp>,
    pub woken: bool,
    pub status: Option<String>,
    pub task: Option<String>,
    pub unread: i64,
    pub held: i64,
    pub dead: i64,
    pub tokens_used: i64,
    pub cost_used: Option<i64>,
    pub removed: bool,
}

/// What a new agent is made of.
#[derive(Debug)]
pub struct NewAgent<'a> {
    pub name: &'a Name,
    pub kind: MemberKind,
    pub origin: Origin,
    pub model: Option<&'a str>,
    pub backend: Option<&'a str>,
    pub system: Option<&'a str>,
    pub role: Option<&'a str>,
    pub display_name: Option<&'a str>,
    pub config: &'a AgentConfig,
}

pub const COLUMNS: &str =
    "a.id, a.scope, w.name AS workflow, w.tag, a.name, a.kind, a.origin, a.model,
    a.backend, a.role, a.display_name, a.wanted, a.paused_reason, a.paused_at, a.not_before,
    a.woken, a.status, a.task, a.unread, a.held, a.dead, a.tokens_used, a.cost_used,
    a.removed_at IS NOT NULL AS removed";

impl AgentRow {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get("id")?,
            scope_id: row.get("scope")?,
            scope: workflow::scope_from_row(row, "workflow", "tag")?,
            name: row.get::<_, Word<Name>>("name")?.0,
            kind: row.get::<_, Word<MemberKind>>("kind")?.0,
            origin: row.get::<_, Word<Origin>>("origin")?.0,
            model: row.get("model")?,
            backend: row.get("backend")?,
            role: row.get("role")?,
            display_name: row.get("display_name")?,
            wanted: row.get::<_, Word<Wanted>>("wanted")?.0,
            paused_reason: row.get("paused_reason")?,
            paused_at: row.get::<_, Option<i64>>("paused_at")?.map(Timestamp),
            not_before: row.get::<_, Option<i64>>("not_before")?.map(Timestamp),
            woken: row.get("woken")?,
            status: row.get("status")?,
            task: row.get("task")?,
            unread: row.get("unread")?,
            held: row.get("held")?,
            dead: row.get("dead")?,
            tokens_used: row.get("tokens_used")?,
            cost_used: row.get("cost_used")?,
            removed: row.get("removed")?,
        })
    }

    /// The row of a number that is known to exist, removed or not.
    pub fn by_id(conn: &Connection, id: i64) -> Result<Self, OpError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM agents AS a JOIN workflows AS w ON w.id = a.scope WHERE a.id = ?1"
        );
        Ok(conn.prepare_cached(&sql)?.query_row([id], Self::from_row)?)
    }

    /// The live member of this name, if there is one.
    pub fn find(conn: &Connection, scope: i64, name: &str) -> Result<Option<Self>, OpError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM agents AS a JOIN workflows AS w ON w.id = a.scope
             WHERE a.scope = ?1 AND a.name = ?2 AND a.removed_at IS NULL"
        );
        Ok(conn.prepare_cached(&sql)?.query_row(params![scope, name], Self::from_row).optional()?)
    }

    /// The live member of this name; the refusal names the nearest.
    pub fn by_name(conn: &Connection, scope: &ScopeRow, name: &Name) -> Result<Self, OpError> {
        if let Some(row) = Self::find(conn, scope.id, name.as_str())? {
            return Ok(row);
        }
        let members = Self::of_scope(conn, scope.id)?;
        let names = members.iter().map(|member| member.name.as_str());
        let error = OpError::not_found(format!("no agent named `{name}` in {}", scope.scope));
        if let Some(taken) = taken_for_agent(name) {
            return Err(error.hint(taken));
        }
        Err(match nearest(name.as_str(), names) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint(format!("agent-worker list {}", scope.scope)),
        })
    }

    /// All live members of a scope, by name.
    pub fn of_scope(conn: &Connection, scope: i64) -> Result<Vec<Self>, OpError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM agents AS a JOIN workflows AS w ON w.id = a.scope
             WHERE a.scope = ?1 AND a.removed_at IS NULL ORDER BY a.name"
        );
        let mut statement = conn.prepare_cached(&sql)?;
        let rows = statement.query_map([scope], Self::from_row)?.collect::<Result<_, _>>()?;
        Ok(rows)
    }

    /// All live members of all scopes.
    pub fn all(conn: &Connection) -> Result<Vec<Self>, OpError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM agents AS a JOIN workflows AS w ON w.id = a.scope
             WHERE a.removed_at IS NULL ORDER BY w.name, w.tag, a.name"
        );
        let mut statement = conn.prepare_cached(&sql)?;
        let rows = statement.query_map([], Self::from_row)?.collect::<Result<_, _>>()?;
        Ok(rows)
    }

    pub fn target(&self) -> Target {
        Target::member(self.name.clone(), self.scope.clone())
    }

    /// Whether it works in runs: an agent or a member outside.
    pub fn works(&self) -> bool {
        matches!(self.kind, MemberKind::Agent | MemberKind::External)
    }

    /// Refuses what only agents can do.
    pub fn expect_agent(self) -> Result<Self, OpError> {
        if self.works() {
            return Ok(self);
        }
        Err(OpError::invalid(format!("`{}` is the user, not an agent", self.target())))
    }

    /// What its worker is made from.
    pub fn config(&self, conn: &Connection) -> Result<AgentConfig, OpError> {
        let mut statement = conn.prepare_cached("SELECT config FROM agents WHERE id = ?1")?;
        Ok(statement.query_row([self.id], |row| row.get::<_, Json<AgentConfig>>(0))?.0)
    }

    pub fn system(&self, conn: &Connection) -> Result<Option<String>, OpError> {
        let mut statement = conn.prepare_cached("SELECT system FROM agents WHERE id = ?1")?;
        Ok(statement.query_row([self.id], |row| row.get(0))?)
    }

    /// When it was made.
    fn created_at(&self, conn: &Connection) -> Result<Timestamp, OpError> {
        let mut statement = conn.prepare_cached("SELECT created_at FROM agents WHERE id = ?1")?;
        Ok(Timestamp(statement.query_row([self.id], |row| row.get(0))?))
    }

    /// The entity. It follows from the tables alone, never from the clock, so that a reader of
    /// the feed and a snapshot agree.
    pub fn entity(&self, conn: &Connection) -> Result<Agent, OpError> {
        let live = RunRow::live_of(conn, self.id)?;
        Ok(Agent {
            name: self.name.clone(),
            scope: self.scope.clone(),
            target: self.target(),
            kind: self.kind,
            role: self.role.clone(),
            display_name: self.display_name.clone(),
            model: self.model.clone(),
            backend: self.backend.clone(),
            wanted: self.wanted,
            state: self.state(conn, live)?,
            paused_reason: self.paused_reason.clone(),
            not_before: self.not_before,
            away: self.away(conn, live)?,
            status: self.status.clone(),
            task: self.task.clone(),
            unread: self.unread,
            run: live,
            used: AgentUsed { tokens: self.tokens_used, cost: self.cost_used.map(budget::dollars) },
        })
    }

    /// Whether its model is away: its live run says so, or it waits to be started again.
    pub fn away(
        &self,
        conn: &Connection,
        live: Option<RunId>,
    ) -> Result<Option<ModelAway>, OpError> {
        if let Some(run) = live {
            let mut statement = conn.prepare_cached("SELECT away FROM runs WHERE id = ?1")?;
            let away: Option<Json<ModelAway>> =
                statement.query_row([run.number()], |row| row.get(0))?;
            return Ok(away.map(|json| json.0));
        }
        let Some(next_at) = self.not_before else { return Ok(None) };
        let sql = "SELECT unavailable_since, unavailable_count FROM agents WHERE id = ?1";
        let (since, failures): (Option<i64>, u32) =
            conn.prepare_cached(sql)?.query_row([self.id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(since.map(|since| ModelAway {
            since: Timestamp(since),
            attempt: failures.saturating_add(1),
            of: None,
            next_at,
            error: None,
        }))
    }

    fn state(&self, conn: &Connection, live: Option<RunId>) -> Result<AgentState, OpError> {
        match (self.wanted, live) {
            _ if !self.works() => return Ok(AgentState::Idle),
            (Wanted::Paused, _) => return Ok(AgentState::Paused),
            (Wanted::Stopped, _) => return Ok(AgentState::Stopped),
            (Wanted::Active, Some(run)) if question::is_waited_for(conn, run)? => {
                return Ok(AgentState::Waiting);
            }
            (Wanted::Active, Some(_)) => return Ok(AgentState::Running),
            (Wanted::Active, None) => {}
        }
        let scope = ScopeRow::by_id(conn, self.scope_id)?;
        if scope.state != WorkflowState::Running {
            return Ok(AgentState::Idle);
        }
        let waking = if self.unread > 0 { delivery::waking(conn, self.id)? } else { None };
        Ok(match waking {
            _ if self.not_before.is_some() => AgentState::Backoff,
            Some(delivery::Waking::Pending) => AgentState::Queued,
            _ if self.woken => AgentState::Queued,
            Some(delivery::Waking::Waiting) => AgentState::Backoff,
            None => AgentState::Idle,
        })
    }
}

/// What takes an id that was given in place of an agent's name.
pub fn taken_for_agent(name: &Name) -> Option<String> {
    if name.as_str().parse::<RunId>().is_ok() {
        return Some(format!("`{name}` is a run: try agent-worker logs, why, retry or cancel"));
    }
    let is_message = name.as_str().parse::<MessageId>().is_ok();
    is_message.then(|| format!("`{name}` is a message: try agent-worker drop, release or retry"))
}

/// Announces a member as it now stands; nothing if it is removed.
pub fn announce(cx: &mut Cx<'_>, id: i64) -> Result<(), OpError> {
    let row = AgentRow::by_id(cx.conn, id)?;
    if row.removed {
        return Ok(());
    }
    let agent = row.entity(cx.conn)?;
    cx.emit(&row.scope, EventBody::AgentChanged(Box::new(agent)))
}

/// Makes a member and its place in the channel.
pub fn insert(cx: &mut Cx<'_>, scope: &ScopeRow, new: &NewAgent<'_>) -> Result<AgentRow, OpError> {
    change::check_is_no_group(cx.conn, scope, new.name)?;
    let sql = "INSERT INTO agents (scope, name, kind, origin, model, backend, system, role,
                   display_name, config, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    cx.conn.prepare_cached(sql)?.execute(params![
        scope.id,
        new.name.as_str(),
        Word(new.kind),
        Word(new.origin),
        new.model,
        new.backend,
        new.system,
        new.role,
        new.display_name,
        Json(new.config),
        cx.now.0
    ])?;
    let id = cx.conn.last_insert_rowid();
    conversation::join_channel(cx, scope, id)?;
    cx.touch_agent(id);
    cx.touch_scope(scope.id);
    AgentRow::by_id(cx.conn, id)
}

/// Gives a member of a workflow file what the file now says of it.
pub fn update(cx: &mut Cx<'_>, id: i64, new: &NewAgent<'_>) -> Result<(), OpError> {
    // What works outside is never started, so neither a wake nor a wait for its model can end.
    let sql = "UPDATE agents SET kind = ?2, origin = ?3, model = ?4, backend = ?5, system = ?6,
                   role = ?7, display_name = ?8, config = ?9,
                   woken = CASE ?2 WHEN 'external' THEN 0 ELSE woken END,
                   not_before = CASE ?2 WHEN 'external' THEN NULL ELSE not_before END
               WHERE id = ?1";
    cx.conn.prepare_cached(sql)?.execute(params![
        id,
        Word(new.kind),
        Word(new.origin),
        new.model,
        new.backend,
        new.system,
        new.role,
        new.display_name,
        Json(new.config)
    ])?;
    cx.touch_agent(id);
    Ok(())
}

/// Takes a member out of its scope. Its open mail is dropped, a live run of it ends, and the person
/// owns what it owned.
pub fn remove(cx: &mut Cx<'_>, row: &AgentRow) -> Result<(), OpError> {
    delivery::drop_open(cx, row.id)?;
    changes::question::close_of_agent(cx, row)?;
    schedule::change::complete_of_agent(cx, row.id)?;
    write::take_over(cx, row)?;
    cx.conn
        .prepare_cached("UPDATE agents SET removed_at = ?2 WHERE id = ?1")?
        .execute(params![row.id, cx.now.0])?;
    conversation::leave_all(cx, row.id)?;
    run::end_of_agent(cx, row.id, true)?;
    cx.touch_scope(row.scope_id);
    cx.touch_attention(row.scope_id);
    cx.judge(row.scope_id);
    cx.emit(&row.scope, EventBody::AgentRemoved { target: row.target() })
}

/// Makes an agent active and clears what kept it.
pub fn activate(cx: &mut Cx<'_>, row: &AgentRow) -> Result<(), OpError> {
    let sql = "UPDATE agents SET wanted = 'active', paused_reason = NULL, paused_at = NULL,
                   not_before = NULL, unavailable_since = NULL, unavailable_count = 0,
                   forgiven_run =
                       (SELECT max(id) FROM runs WHERE agent = ?1 AND ended_at IS NOT NULL)
               WHERE id = ?1";
    cx.conn.prepare_cached(sql)?.execute([row.id])?;
    cx.touch_agent(row.id);
    cx.touch_attention(row.scope_id);
    cx.judge(row.scope_id);
    Ok(())
}

/// Pauses an agent with the reason that people see.
pub fn pause(cx: &mut Cx<'_>, agent: i64, reason: &str) -> Result<(), OpError> {
    let row = AgentRow::by_id(cx.conn, agent)?;
    if row.wanted == Wanted::Active {
        let sql = "UPDATE agents SET wanted = 'paused', paused_reason = ?2, paused_at = ?3,
                       woken = 0
                   WHERE id = ?1";
        cx.conn.prepare_cached(sql)?.execute(params![agent, reason, cx.now.0])?;
    }
    cx.touch_agent(agent);
    cx.touch_attention(row.scope_id);
    cx.judge(row.scope_id);
    Ok(())
}

/// What something of this backend is.
pub fn check_backend(backend: &str) -> Result<(Backend, MemberKind), OpError> {
    let backend: Backend = backend.parse().map_err(OpError::invalid)?;
    match backend {
        Backend::External => Ok((backend, MemberKind::External)),
        _ => Ok((backend, MemberKind::Agent)),
    }
}

impl Run for AgentCreate {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Agent, OpError> {
        cx.operator_only("making an agent")?;
        let name =
            self.name.clone().for_agent().map_err(|bad| OpError::invalid(bad.to_string()))?;
        let scope = cx.scope()?;
        if AgentRow::find(cx.conn, scope.id, name.as_str())?.is_some() {
            return Err(OpError::conflict(format!(
                "agent `{name}` already exists in {}",
                scope.scope
            ))
            .hint(format!("agent-worker info {}", Target::member(name, scope.scope))));
        }
        let (backend, kind) = check_backend(self.backend.as_deref().unwrap_or("default"))?;
        if backend == Backend::Default {
            let served = cx.settings.providers.find(self.model.as_deref(), None);
            served.map_err(|unknown| OpError::invalid(unknown.message).hint(unknown.hint))?;
        }
        if backend == Backend::Acp {
            let text = "backend `acp`: only a workflow file can name the agent's program";
            return Err(OpError::invalid(text).hint("set `command:` in a workflow file"));
        }
        if backend.is_program() {
            let found = program_model(&cx.settings.providers, backend, self.model.as_deref(), None);
            found.map_err(|unknown| OpError::invalid(unknown.message).hint(unknown.hint))?;
        }
        check_room(cx, &scope)?;
        check_script(self.script.as_deref())?;
        if self.timeout.is_some_and(is_too_short) {
            return Err(OpError::invalid("`timeout` must be more than 0"));
        }
        let config = AgentConfig {
            script: self.script.clone(),
            cwd: self.cwd.clone(),
            env: self.env.clone(),
            set_in_shell: Vec::new(),
            timeout: self.timeout,
            path_env: self.path_env.clone(),
            thinking: self.thinking,
            ..AgentConfig::default()
        };
        let new = NewAgent {
            name: &name,
            kind,
            origin: Origin::New,
            model: self.model.as_deref(),
            backend: Some(backend.as_str()),
            system: self.system.as_deref(),
            role: self.role.as_deref(),
            display_name: self.display_name.as_deref(),
            config: &config,
        };
        let made = insert(cx, &scope, &new)?;
        if let Some(spec) = &self.schedule {
            let set = ScheduleSet::usual(made.target(), spec.clone());
            set.run(cx)?;
        }
        made.entity(cx.conn)
    }
}

/// Refuses a script that could not be played.
pub fn check_script(script: Option<&str>) -> Result<(), OpError> {
    let problems = script.map(|text| Script::parse(text).in_file("script").problems);
    let wrong: Vec<_> = problems
        .iter()
        .flatten()
        .filter(|problem| problem.is_error())
        .map(ToString::to_string)
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(OpError::invalid(wrong.join("\n"))) }
}

/// Refuses one more agent than the scope may have.
pub fn check_room(cx: &Cx<'_>, scope: &ScopeRow) -> Result<(), OpError> {
    let Some(most) = scope.limits.agents else { return Ok(()) };
    let members = AgentRow::of_scope(cx.conn, scope.id)?;
    let agents = members.iter().filter(|member| member.works()).count();
    if agents < usize::try_from(most).unwrap_or(usize::MAX) {
        return Ok(());
    }
    Err(OpError::conflict(format!("{} already has {most} agents, its limit", scope.scope))
        .hint(format!("agent-worker limits {} agents={}", scope.scope, most + 1)))
}

impl Run for AgentList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Agents, OpError> {
        let rows = match &cx.target {
            None if cx.is_person() => AgentRow::all(cx.conn)?,
            Some(Target { name: Some(name), .. }) => {
                vec![AgentRow::by_name(cx.conn, &cx.scope()?, name)?]
            }
            _ => {
                let scope = cx.listed_scope()?;
                AgentRow::of_scope(cx.conn, scope.map_or_else(|| cx.scope(), Ok)?.id)?
            }
        };
        let agents = rows.iter().map(|row| row.entity(cx.conn)).collect::<Result<Vec<_>, _>>()?;
        let mut runs = RunRow::live(cx.conn)?;
        runs.retain(|run| agents.iter().any(|agent| agent.run == Some(run.id)));
        Ok(Agents { agents, runs: runs.iter().map(RunRow::entity).collect() })
    }
}

impl Run for AgentShow {
    fn run(&self, cx: &mut Cx<'_>) -> Result<AgentDetail, OpError> {
        let row = cx.locate_member(&self.target)?;
        let config = row.config(cx.conn)?;
        let scope = ScopeRow::by_id(cx.conn, row.scope_id)?;
        let mut tools = Vec::new();
        if row.works() {
            let offered = offer::offered_to(cx, &row)?;
            tools = list::tools(Names::default()).0;
            tools.retain(|tool| offered.has(tool));
        }
        Ok(AgentDetail {
            agent: row.entity(cx.conn)?,
            origin: row.origin,
            created_at: row.created_at(cx.conn)?,
            paused_at: row.paused_at,
            system: row.system(cx.conn)?,
            cwd: config.cwd,
            env: config.env,
            timeout: config.timeout.unwrap_or(cx.settings.runs.total),
            attempts: cx.settings.runs.attempts,
            tools,
            limits: scope.limits,
            schedules: rows::schedule::of_agent(cx.conn, row.id)?,
            held: row.held,
            dead: row.dead,
            session: session::of_agent(cx.conn, &row, scope.generation)?,
            runs: run::newest_of_agent(cx.conn, row.id, 10)?,
        })
    }
}

/// What operations are called.
#[derive(Debug, Default)]
pub struct Names(Vec<String>);

impl Surface for Names {
    fn mount<O: Run>(mut self) -> Self {
        self.0.push(O::NAME.to_owned());
        self
    }
}

impl Run for AgentStop {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Agent, OpError> {
        cx.operator_only("stopping an agent")?;
        let row = cx.locate_member(&self.target)?.expect_agent()?;
        set_stopped(cx, &row)?;
        run::end_of_agent(cx, row.id, self.now)?;
        AgentRow::by_id(cx.conn, row.id)?.entity(cx.conn)
    }
}

/// Has an agent start no more runs.
pub fn set_stopped(cx: &mut Cx<'_>, row: &AgentRow) -> Result<(), OpError> {
    let sql = "UPDATE agents SET wanted = 'stopped', paused_reason = NULL, paused_at = NULL,
                   woken = 0
               WHERE id = ?1";
    cx.conn.prepare_cached(sql)?.execute([row.id])?;
    cx.touch_agent(row.id);
    cx.touch_attention(row.scope_id);
    cx.judge(row.scope_id);
    Ok(())
}

impl Run for AgentResume {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Agent, OpError> {
        cx.operator_only("resuming an agent")?;
        let row = cx.locate_member(&self.target)?.expect_agent()?;
        activate(cx, &row)?;
        AgentRow::by_id(cx.conn, row.id)?.entity(cx.conn)
    }
}

impl Run for AgentNewSession {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Agent, OpError> {
        cx.operator_only("beginning a session")?;
        let row = cx.locate_member(&self.target)?.expect_agent()?;
        session::begin_anew(cx, &row)?;
        row.entity(cx.conn)
    }
}

impl Run for AgentWake {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Agent, OpError> {
        cx.operator_only("waking an agent")?;
        let row = cx.locate_member(&self.target)?.expect_agent()?;
        check_can_wake(cx, &row)?;
        delivery::make_due(cx, row.id)?;
        let is_due = delivery::waking(cx.conn, row.id)?.is_some();
        cx.conn
            .prepare_cached("UPDATE agents SET not_before = NULL, woken = ?2 WHERE id = ?1")?
            .execute(params![row.id, !is_due])?;
        cx.touch_agent(row.id);
        cx.judge(row.scope_id);
        AgentRow::by_id(cx.conn, row.id)?.entity(cx.conn)
    }
}

pub fn check_can_wake(cx: &Cx<'_>, row: &AgentRow) -> Result<(), OpError> {
    let target = row.target();
    let refused = |what: &str| OpError::conflict(format!("`{target}` is {what} and is not woken"));
    let scope = ScopeRow::by_id(cx.conn, row.scope_id)?;
    match row.wanted {
        Wanted::Active if row.kind == MemberKind::External => {
            Err(OpError::invalid(format!("`{target}` is external: the daemon cannot start it")))
        }
        Wanted::Active if !scope.takes_work() => Err(OpError::conflict(format!(
            "{} is not running, and `{target}` is not woken",
            scope.scope
        ))
        .hint(hint::of_state(&scope))),
        Wanted::Active => budget::check_open(cx, &scope, &format!("`{target}` would not start")),
        Wanted::Paused => Err(refused("paused").hint(format!("agent-worker resume {target}"))),
        Wanted::Stopped => Err(refused("stopped").hint(format!("agent-worker resume {target}"))),
    }
}

impl Run for AgentRemove {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Removed, OpError> {
        cx.operator_only("removing an agent")?;
        let row = cx.locate_member(&self.target)?.expect_agent()?;
        if let Some(run) = RunRow::live_of(cx.conn, row.id)? {
            let target = row.target();
            return Err(OpError::conflict(format!("`{target}` is working ({run})"))
                .hint(format!("agent-worker stop {target}")));
        }
        remove(cx, &row)?;
        Ok(Removed { target: row.target() })
    }
}

impl Run for TeamMembers {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Team, OpError> {
        let (scope, me) = (cx.scope()?, cx.member()?);
        let members = AgentRow::of_scope(cx.conn, scope.id)?
            .into_iter()
            .map(|row| {
                let agent = row.entity(cx.conn)?;
                Ok(TeamMember {
                    you: row.id == me.id,
                    name: agent.name,
                    display_name: agent.display_name,
                    role: agent.role,
                    kind: agent.kind,
                    state: agent.state,
                    status: agent.status,
                    task: agent.task,
                })
            })
            .collect::<Result<_, OpError>>()?;
        Ok(Team { scope: scope.scope, members })
    }
}

impl Run for MyStatusSet {
    fn run(&self, cx: &mut Cx<'_>) -> Result<MyStatus, OpError> {
        const LONGEST: usize = 200;
        let fits =
            |text: &Option<String>| text.as_ref().is_none_or(|t| t.chars().count() <= LONGEST);
        if !fits(&self.state) || !fits(&self.task) {
            return Err(OpError::invalid(format!("a label has at most {LONGEST} characters")));
        }
        let me = cx.member()?;
        let (state, task) =
            (self.state.clone().or(me.status.clone()), self.task.clone().or(me.task.clone()));
        set_label(cx, me.id, state.as_deref(), task.as_deref())?;
        Ok(MyStatus { state, task })
    }
}

/// Sets or clears what an agent says of itself.
pub fn set_label(
    cx: &mut Cx<'_>,
    agent: i64,
    status: Option<&str>,
    task: Option<&str>,
) -> Result<(), OpError> {
    cx.conn
        .prepare_cached("UPDATE agents SET status = ?2, task = ?3 WHERE id = ?1")?
        .execute(params![agent, status, task])?;
    cx.touch_agent(agent);
    Ok(())
}
