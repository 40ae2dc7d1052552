//! Scopes: rows, entities, and how their state changes.

use agent_worker_protocol::{
    agent::{MemberKind, Origin, Wanted},
    event::EventBody,
    name::{Name, Tag},
    target::Scope,
    time::Timestamp,
    workflow::{
        Limits, LimitsSet, Mode, Used, Workflow, WorkflowList, WorkflowResume, WorkflowShow,
        WorkflowState, WorkflowStop, Workflows,
    },
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{
    changes::{message::conversation, workflow::purge},
    context::cx::Cx,
    error::OpError,
    ops::{list::Run, schedule::change},
    rows::{
        agent::{self, AgentConfig, AgentRow, NewAgent},
        run,
        word::{Json, Word},
    },
    rules::{budget, hint},
};

#[derive(Debug, Clone)]
pub struct ScopeRow {
    pub id: i64,
    pub scope: Scope,
    pub mode: Mode,
    pub state: WorkflowState,
    pub generation: i64,
    pub kicked_off: i64,
    pub folder: Option<String>,
    pub path_env: Option<String>,
    pub home: Option<String>,
    pub document_owner: Option<Name>,
    pub limits: Limits,
    pub setup: Option<String>,
    pub is_archived: bool,
    pub outcome: Option<WorkflowState>,
    pub outcome_reason: Option<String>,
    pub tokens_used: i64,
    pub cost_used: i64,
    pub runs_used: i64,
    pub duration_used: i64,
    pub running_since: Option<Timestamp>,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
}

pub const COLUMNS: &str =
    "w.id, w.name, w.tag, w.mode, w.state, w.generation, w.kicked_off, w.folder,
    w.path_env, w.home, w.document_owner, w.limits, w.setup,
    w.is_archived, w.outcome, w.outcome_reason,
    w.tokens_used, w.cost_used, w.runs_used, w.duration_used, w.running_since, w.started_at,
    w.ended_at";

/// A scope's name from two columns.
pub fn scope_from_row(row: &Row<'_>, workflow: &str, tag: &str) -> rusqlite::Result<Scope> {
    Ok(Scope {
        workflow: row.get::<_, Word<Name>>(workflow)?.0,
        tag: row.get::<_, Word<Tag>>(tag)?.0,
    })
}

impl ScopeRow {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let at = |column: &str| row.get::<_, Option<i64>>(column).map(|at| at.map(Timestamp));
        Ok(Self {
            id: row.get("id")?,
            scope: scope_from_row(row, "name", "tag")?,
            mode: row.get::<_, Word<Mode>>("mode")?.0,
            state: row.get::<_, Word<WorkflowState>>("state")?.0,
            generation: row.get("generation")?,
            kicked_off: row.get("kicked_off")?,
            folder: row.get("folder")?,
            path_env: row.get("path_env")?,
            home: row.get("home")?,
            document_owner: row.get::<_, Option<Word<Name>>>("document_owner")?.map(|word| word.0),
            limits: row.get::<_, Json<Limits>>("limits")?.0,
            setup: row.get("setup")?,
            is_archived: row.get("is_archived")?,
            outcome: row.get::<_, Option<Word<WorkflowState>>>("outcome")?.map(|word| word.0),
            outcome_reason: row.get("outcome_reason")?,
            tokens_used: row.get("tokens_used")?,
            cost_used: row.get("cost_used")?,
            runs_used: row.get("runs_used")?,
            duration_used: row.get("duration_used")?,
            running_since: at("running_since")?,
            started_at: at("started_at")?,
            ended_at: at("ended_at")?,
        })
    }

    /// The row of a number that is known to exist.
    pub fn by_id(conn: &Connection, id: i64) -> Result<Self, OpError> {
        let sql = format!("SELECT {COLUMNS} FROM workflows AS w WHERE w.id = ?1");
        Ok(conn.prepare_cached(&sql)?.query_row([id], Self::from_row)?)
    }

    /// The scope of this name, if there is one.
    pub fn find(conn: &Connection, scope: &Scope) -> Result<Option<Self>, OpError> {
        let sql = format!("SELECT {COLUMNS} FROM workflows AS w WHERE w.name = ?1 AND w.tag = ?2");
        let found = conn
            .prepare_cached(&sql)?
            .query_row([scope.workflow.as_str(), scope.tag.as_str()], Self::from_row)
            .optional()?;
        Ok(found)
    }

    /// The scope of this name.
    pub fn by_name(conn: &Connection, scope: &Scope) -> Result<Self, OpError> {
        Self::find(conn, scope)?.ok_or_else(|| {
            OpError::not_found(format!("workflow {scope} not found"))
                .hint("agent-worker list shows those that exist; agent-worker start FILE makes one")
        })
    }

    /// All scopes, by name and tag.
    pub fn all(conn: &Connection) -> Result<Vec<Self>, OpError> {
        let sql = format!("SELECT {COLUMNS} FROM workflows AS w ORDER BY w.name, w.tag");
        let mut statement = conn.prepare_cached(&sql)?;
        let rows = statement.query_map([], Self::from_row)?.collect::<Result<_, _>>()?;
        Ok(rows)
    }

    /// Whether new waking mail starts its recipient: it runs, or has ended and goes on with it.
    pub fn takes_work(&self) -> bool {
        match self.state {
            WorkflowState::Running => true,
            WorkflowState::Completed | WorkflowState::Failed | WorkflowState::Stalled => {
                self.was_kicked_off()
            }
            WorkflowState::Created | WorkflowState::SettingUp | WorkflowState::Stopped => false,
        }
    }

    /// Whether this generation got past its setup.
    pub fn was_kicked_off(&self) -> bool {
        self.kicked_off == self.generation
    }

    /// Milliseconds in `running` until now.
    pub fn duration_until(&self, now: Timestamp) -> i64 {
        let running = self.running_since.map_or(0, |since| now.0.saturating_sub(since.0).max(0));
        self.duration_used.saturating_add(running)
    }

    pub fn entity(&self, conn: &Connection) -> Result<Workflow, OpError> {
        let members = AgentRow::of_scope(conn, self.id)?;
        Ok(Workflow {
            key: self.scope.key(),
            name: self.scope.workflow.clone(),
            tag: self.scope.tag.clone(),
            scope: self.scope.clone(),
            mode: self.mode,
            state: self.state,
            outcome: self.outcome,
            outcome_reason: self.outcome_reason.clone(),
            setup: self.setup.clone(),
            generation: self.generation,
            agents: members.into_iter().filter(AgentRow::works).map(|row| row.name).collect(),
            limits: self.limits,
            used: Used {
                tokens: self.tokens_used,
                cost: budget::dollars(self.cost_used),
                duration_ms: self.duration_used,
                running_since: self.running_since,
                runs: self.runs_used,
            },
            started_at: self.started_at,
            ended_at: self.ended_at,
        })
    }
}

/// Announces a workflow as it now stands; nothing if it is gone.
pub fn announce(cx: &mut Cx<'_>, id: i64) -> Result<(), OpError> {
    let is_there = cx.conn.prepare_cached("SELECT 1 FROM workflows WHERE id = ?1")?.exists([id])?;
    if !is_there {
        return Ok(());
    }
    let row = ScopeRow::by_id(cx.conn, id)?;
    let workflow = row.entity(cx.conn)?;
    cx.emit(&row.scope, EventBody::WorkflowChanged(Box::new(workflow)))
}

/// Makes a scope with its channel and the person.
pub fn insert(cx: &mut Cx<'_>, scope: &Scope, mode: Mode) -> Result<ScopeRow, OpError> {
    let sql = "INSERT INTO workflows (name, tag, mode, state, created_at) VALUES (?1, ?2, ?3, 'created', ?4)";
    cx.conn.prepare_cached(sql)?.execute(params![
        scope.workflow.as_str(),
        scope.tag.as_str(),
        Word(mode),
        cx.now.0
    ])?;
    let id = cx.conn.last_insert_rowid();
    conversation::make_channel(cx, id)?;
    let row = ScopeRow::by_id(cx.conn, id)?;
    let person = NewAgent {
        name: &Name::person(),
        kind: MemberKind::Person,
        origin: Origin::System,
        model: None,
        backend: None,
        system: None,
        role: None,
        display_name: None,
        config: &AgentConfig::default(),
    };
    agent::insert(cx, &row, &person)?;
    Ok(row)
}

/// Makes the scope that always exists, if it does not yet.
pub fn ensure_global(cx: &mut Cx<'_>) -> Result<(), OpError> {
    if ScopeRow::find(cx.conn, &Scope::global())?.is_some() {
        return Ok(());
    }
    let row = insert(cx, &Scope::global(), Mode::Start)?;
    cx.conn
        .prepare_cached("UPDATE workflows SET generation = 1, kicked_off = 1 WHERE id = ?1")?
        .execute([row.id])?;
    enter(cx, row.id, WorkflowState::Running, None)
}

/// Brings a scope into a state, with the reason people see. Time in `running` is booked.
pub fn enter(
    cx: &mut Cx<'_>,
    id: i64,
    state: WorkflowState,
    reason: Option<&str>,
) -> Result<(), OpError> {
    let before = ScopeRow::by_id(cx.conn, id)?;
    let is_end = !state.is_live() && state != WorkflowState::Created;
    let running_since = match (state, before.state) {
        (WorkflowState::Running, WorkflowState::Running) => before.running_since,
        (WorkflowState::Running, _) => Some(cx.now),
        _ => None,
    };
    let booked = if running_since.is_some() && before.running_since == running_since {
        before.duration_used
    } else {
        before.duration_until(cx.now)
    };
    let ended_at = match before.ended_at {
        Some(at) if state == before.state => Some(at),
        _ => is_end.then_some(cx.now),
    };
    let sql = "UPDATE workflows SET state = ?2, outcome = ?3, outcome_reason = ?4, setup = NULL,
                   running_since = ?5, duration_used = ?6, ended_at = ?7,
                   is_archived = is_archived AND ?2 <> 'running' WHERE id = ?1";
    cx.conn.prepare_cached(sql)?.execute(params![
        id,
        Word(state),
        is_end.then_some(Word(state)),
        reason,
        running_since.map(|at| at.0),
        booked,
        ended_at.map(|at| at.0)
    ])?;
    for member in AgentRow::of_scope(cx.conn, id)? {
        // Those that show another state when their scope begins or ends.
        if member.unread > 0 || member.woken || member.not_before.is_some() {
            cx.touch_agent(member.id);
        }
    }
    cx.touch_scope(id);
    cx.touch_attention(id);
    match (before.state, state) {
        (WorkflowState::Running, WorkflowState::Running) => Ok(()),
        (WorkflowState::Running, _) => change::scope_stops(cx, id),
        (_, WorkflowState::Running) => change::scope_goes_on(cx, id),
        _ => Ok(()),
    }
}

impl Run for WorkflowList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Workflows, OpError> {
        let rows = match cx.listed_scope()? {
            Some(scope) if !cx.is_person() => vec![scope],
            _ => ScopeRow::all(cx.conn)?,
        };
        let workflows = rows.iter().map(|row| row.entity(cx.conn)).collect::<Result<_, _>>()?;
        Ok(Workflows { workflows })
    }
}

/// A scope that a request names by its key.
pub fn locate(cx: &Cx<'_>, key: &Scope) -> Result<ScopeRow, OpError> {
    Ok(cx.locate(&key.clone().into())?.0)
}

impl Run for WorkflowShow {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Workflow, OpError> {
        locate(cx, &self.key)?.entity(cx.conn)
    }
}

impl Run for WorkflowStop {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Workflow, OpError> {
        cx.operator_only("stopping a workflow")?;
        let row = locate(cx, &self.key)?;
        if row.scope.is_global() {
            return Err(OpError::invalid("@global always exists and always runs")
                .hint("agent-worker stop AGENT stops one of its agents"));
        }
        if self.purge {
            return purge::purge(cx, &row);
        }
        match row.state {
            WorkflowState::SettingUp => {
                enter(cx, row.id, WorkflowState::Failed, Some(STOPPED_IN_SETUP))?;
            }
            WorkflowState::Running | WorkflowState::Stalled => {
                let reason = match self.timeout {
                    Some(timeout) => format!("timed out after {timeout}"),
                    None => "stopped by the user".to_owned(),
                };
                enter(cx, row.id, WorkflowState::Stopped, Some(&reason))?;
                run::end_of_scope(cx, row.id, self.now)?;
            }
            WorkflowState::Stopped => run::end_of_scope(cx, row.id, self.now)?,
            WorkflowState::Created | WorkflowState::Completed | WorkflowState::Failed => {}
        }
        ScopeRow::by_id(cx.conn, row.id)?.entity(cx.conn)
    }
}

/// Why a scope failed whose setup the person stopped.
pub const STOPPED_IN_SETUP: &str = "stopped in setup";

impl Run for WorkflowResume {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Workflow, OpError> {
        cx.operator_only("resuming a workflow")?;
        let row = locate(cx, &self.key)?;
        let scope = &row.scope;
        let state = word(row.state);
        let remedy = hint::of_scope(cx.conn, &row)?.unwrap_or_else(|| hint::of_state(&row));
        let has_activated = match row.state {
            WorkflowState::Running | WorkflowState::Stopped | WorkflowState::Stalled => {
                go_on(cx, &row)?
            }
            _ => {
                return Err(OpError::conflict(format!(
                    "{scope} is {state}, and only a stopped or stalled workflow is resumed",
                ))
                .hint(remedy));
            }
        };
        cx.judge_now()?;
        let resumed = ScopeRow::by_id(cx.conn, row.id)?;
        let is_stalled = |row: &ScopeRow| row.state == WorkflowState::Stalled;
        if is_stalled(&row) && is_stalled(&resumed) && !has_activated {
            let why = resumed.outcome_reason.unwrap_or_default();
            return Err(OpError::conflict(format!("{scope} stays stalled: {why}")).hint(remedy));
        }
        resumed.entity(cx.conn)
    }
}

/// Lets a scope go on where it was. Its paused agents work again, its stopped ones do not. Tells
/// whether an agent was paused.
pub fn go_on(cx: &mut Cx<'_>, row: &ScopeRow) -> Result<bool, OpError> {
    let mut has_activated = false;
    for member in AgentRow::of_scope(cx.conn, row.id)? {
        if member.wanted == Wanted::Paused {
            agent::activate(cx, &member)?;
            has_activated = true;
        }
    }
    if row.state != WorkflowState::Running {
        enter(cx, row.id, WorkflowState::Running, None)?;
    }
    cx.judge(row.id);
    Ok(has_activated)
}

/// A state as a word for people.
pub fn word(state: WorkflowState) -> &'static str {
    match state {
        WorkflowState::Created => "created",
        WorkflowState::SettingUp => "setting up",
        WorkflowState::Running => "running",
        WorkflowState::Completed => "completed",
        WorkflowState::Failed => "failed",
        WorkflowState::Stopped => "stopped",
        WorkflowState::Stalled => "stalled",
    }
}

impl Run for LimitsSet {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Workflow, OpError> {
        cx.operator_only("changing limits")?;
        let row = locate(cx, &self.key)?;
        budget::check(&self.limits)?;
        let limits = budget::merged(row.limits, self.limits);
        cx.conn
            .prepare_cached("UPDATE workflows SET limits = ?2 WHERE id = ?1")?
            .execute(params![row.id, Json(limits)])?;
        budget::release_allowed(cx, row.id)?;
        cx.touch_scope(row.id);
        cx.touch_attention(row.id);
        cx.judge(row.id);
        cx.judge_now()?;
        ScopeRow::by_id(cx.conn, row.id)?.entity(cx.conn)
    }
}
