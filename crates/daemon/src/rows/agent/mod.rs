//! Members: rows, entities, and what people do with agents.

pub mod changing;

use std::sync::Arc;

use agent_worker_protocol::{
    Command, Home, Hours, Interval, McpServer, McpTransport, MemberKind, MessageId, ModelAway,
    Name, Ordered, Origin, Permissions, ProposalId, Provider, ResourceId, RunId, Scope, Target,
    Thinking, Timestamp, Tool, Wanted, Word as Label, nearest::nearest,
};
use serde::{Deserialize, Serialize};

use crate::{
    error::{OpError, Result},
    rows::{
        Db, Table, WorkflowRow,
        layer::column::{columns, json, of_json},
        row, sql, statements, table,
    },
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
    /// Maximum time of a run
    pub timeout: Option<Interval>,
    /// The search path for programs, of an agent made with `new`
    pub path_env: Option<String>,
    /// Where its model is served, if not where its name says
    pub provider: Option<Provider>,
    /// The tools of the workspace that it has
    pub tools: Vec<Tool>,
    /// Which of these it uses unasked
    pub permissions: Permissions,
    /// Its own MCP servers
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
    /// Whether its workflow lets it hire others
    pub hire: bool,
    /// How much its model thinks
    pub thinking: Option<Thinking>,
    /// The part of the day when its heartbeat is due
    pub hours: Option<Hours>,
}

columns!(value => json(value), of_json(value); AgentConfig);

impl AgentConfig {
    /// Returns the same for an agent that this one hires, which has no heartbeat.
    #[must_use]
    pub fn of_hired(self) -> Self {
        Self { hours: None, ..self }
    }
}

row! {
    /// A member, with the name of its scope.
    #[derive(Debug, Clone, PartialEq)]
    pub struct AgentRow from "agents AS a JOIN workflows AS w ON w.id = a.scope" {
        id: i64 = "a.id",
        scope_id: i64 = "a.scope",
        scope: Scope = "'@' || w.name || ':' || w.tag",
        name: Name = "a.name",
        kind: MemberKind = "a.kind",
        origin: Origin = "a.origin",
        model: Option<String> = "a.model",
        backend: Option<String> = "a.backend",
        home: Option<Home> = "a.home",
        role: Option<String> = "a.role",
        display_name: Option<String> = "a.display_name",
        wanted: Wanted = "a.wanted",
        paused_reason: Option<String> = "a.paused_reason",
        paused_at: Option<Timestamp> = "a.paused_at",
        not_before: Option<Timestamp> = "a.not_before",
        woken: bool = "a.woken",
        parent: Option<i64> = "a.parent",
        depth: i64 = "a.depth",
        removed: bool = "a.removed_at IS NOT NULL",
    }
}

table! {
    /// A new agent.
    #[derive(Debug)]
    pub struct NewAgent<'a> into Agents {
        scope: i64,
        name: &'a Name,
        kind: MemberKind,
        origin: Origin,
        model: Option<&'a str>,
        backend: Option<&'a str>,
        system: Option<&'a str>,
        role: Option<&'a str>,
        display_name: Option<&'a str>,
        home: Option<&'a Home>,
        parent: Option<i64>,
        depth: i64,
        config: &'a AgentConfig,
        created_at: Timestamp,
    }
}

impl<'a> NewAgent<'a> {
    /// A member that no other has hired, without what its user or its file may say of it.
    pub fn new(
        scope: i64,
        name: &'a Name,
        (kind, origin): (MemberKind, Origin),
        config: &'a AgentConfig,
        created_at: Timestamp,
    ) -> Self {
        Self {
            scope,
            name,
            kind,
            origin,
            model: None,
            backend: None,
            system: None,
            role: None,
            display_name: None,
            home: None,
            parent: None,
            depth: 0,
            config,
            created_at,
        }
    }

    /// Stores it, without mail, and gives its number.
    pub fn store(&self, db: Db<'_>) -> Result<i64> {
        let id = db.insert(self)?;
        let sql = "INSERT INTO agent_counts (agent) VALUES (?1)";
        db.change(Table::AgentCounts, sql, (id,))?;
        Ok(id)
    }
}

impl AgentRow {
    /// The row of a number that is known to exist, removed or not.
    pub fn by_id(db: Db<'_>, id: i64) -> Result<Self> {
        Self::maybe(db, id)?.ok_or_else(|| rusqlite::Error::QueryReturnedNoRows.into())
    }

    /// The live member of this name; the refusal names the nearest.
    pub fn by_name(db: Db<'_>, scope: &WorkflowRow, name: &Name) -> Result<Self> {
        if let Some(row) = Self::find(db, scope.id, name.as_str())? {
            return Ok(row);
        }
        let members = Self::of_scope(db, scope.id)?;
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
    pub fn of_scope(db: Db<'_>, scope: i64) -> Result<Vec<Self>> {
        Ok(Arc::unwrap_or_clone(Self::team(db, scope)?))
    }

    /// [`AgentRow::of_scope`], not to be changed.
    pub fn team(db: Db<'_>, scope: i64) -> Result<Arc<Vec<Self>>> {
        const SQL: &str =
            sql!(AgentRow::SELECT, " WHERE a.scope = ?1 AND a.removed_at IS NULL ORDER BY a.name");
        db.all_known(SQL, (scope,))
    }

    pub fn target(&self) -> Target {
        Target::member(self.name.clone(), self.scope.clone())
    }

    /// Whether it works in runs: an agent or a member outside.
    pub fn works(&self) -> bool {
        matches!(self.kind, MemberKind::Agent | MemberKind::External)
    }

    /// Refuses what only agents can do.
    pub fn expect_agent(self) -> Result<Self> {
        if self.works() {
            return Ok(self);
        }
        Err(OpError::invalid(format!("`{}` is the user, not an agent", self.target())))
    }

    /// What its worker is made from.
    pub fn config(&self, db: Db<'_>) -> Result<AgentConfig> {
        let found = db.known("SELECT config FROM agents WHERE id = ?1", (self.id,))?;
        found.ok_or_else(|| rusqlite::Error::QueryReturnedNoRows.into())
    }

    statements! {
        /// The row of a number, removed or not, if it was not purged.
        pub fn maybe(id: i64) -> known Self = AgentRow::SELECT, " WHERE a.id = ?1";

        /// The live member of this name, if there is one.
        pub fn find(scope: i64, name: &str) -> known Self =
            AgentRow::SELECT, " WHERE a.scope = ?1 AND a.name = ?2 AND a.removed_at IS NULL";

        /// All live members of all scopes.
        pub fn all() -> all Self =
            AgentRow::SELECT, " WHERE a.removed_at IS NULL ORDER BY w.name, w.tag, a.name";

        pub fn system(&self) -> one Option<String> = "SELECT system FROM agents WHERE id = ?1";

        /// When it was made.
        pub fn created_at(&self) -> one Timestamp = "SELECT created_at FROM agents WHERE id = ?1";

        /// Since when its runs have found its model away, and how many in a row.
        pub fn unavailable(&self) -> one (Option<Timestamp>, u32) =
            "SELECT unavailable_since, unavailable_count FROM agents WHERE id = ?1";
    }

    /// What its last run could not have, while it waits to be started again.
    pub fn away(&self, db: Db<'_>) -> Result<Option<ModelAway>> {
        let Some(next_at) = self.not_before else { return Ok(None) };
        let (Some(since), failures) = self.unavailable(db)? else { return Ok(None) };
        let attempt = failures.saturating_add(1);
        let sql = "SELECT substr(error, 1, 200) FROM runs
                   WHERE agent = ?1 AND class = 'unavailable' ORDER BY id DESC LIMIT 1";
        let error = db.maybe(sql, (self.id,))?;
        Ok(Some(ModelAway { since, attempt, of: None, next_at, error }))
    }
}

/// What becomes of a member.
impl AgentRow {
    /// Gives it what its workflow file now says. An external member is never started, so neither a
    /// wake nor a wait for its model could end. Another model, or the same elsewhere, is not away
    /// because the last one was.
    pub fn update(&self, db: Db<'_>, new: &NewAgent<'_>) -> Result<()> {
        const ELSEWHERE: &str = "(?2 = 'external' OR model IS NOT ?4 OR backend IS NOT ?5
                       OR config ->> '$.provider' IS NOT ?9 ->> '$.provider')";
        let sql = sql!(
            "UPDATE agents SET kind = ?2, origin = ?3, model = ?4, backend = ?5, system = ?6,
                       role = ?7, display_name = ?8, config = ?9, home = ?10,
                       parent = ?11, depth = ?12,
                       woken = CASE ?2 WHEN 'external' THEN 0 ELSE woken END,
                       not_before = iif(",
            ELSEWHERE,
            ", NULL, not_before), unavailable_since = iif(",
            ELSEWHERE,
            ", NULL, unavailable_since), unavailable_count = iif(",
            ELSEWHERE,
            ", 0, unavailable_count) WHERE id = ?1"
        );
        let NewAgent { kind, origin, model, backend, system, role, display_name, .. } = new;
        let NewAgent { home, parent, depth, config, .. } = new;
        let values = (
            self.id,
            kind,
            origin,
            model,
            backend,
            system,
            role,
            display_name,
            config,
            home,
            parent,
            depth,
        );
        db.change(Table::Agents, sql, values).map(drop)
    }

    statements! {
        /// Makes it active and clears what kept it.
        pub fn activate(&self) -> change in Agents =
            "UPDATE agents SET wanted = 'active', paused_reason = NULL, paused_at = NULL,
                    not_before = NULL, unavailable_since = NULL, unavailable_count = 0,
                    forgiven_run =
                        (SELECT max(id) FROM runs WHERE agent = ?1 AND ended_at IS NOT NULL)
                WHERE id = ?1";

        /// Pauses it.
        pub fn pause(&self, reason: &str, now: Timestamp) -> change in Agents =
            "UPDATE agents SET wanted = 'paused', paused_reason = ?2, paused_at = ?3,
                    woken = 0
                WHERE id = ?1";

        /// Stops it.
        pub fn stop(&self) -> change in Agents =
            "UPDATE agents SET wanted = 'stopped', paused_reason = NULL, paused_at = NULL,
                    woken = 0
                WHERE id = ?1";

        /// Removes it. Its row stays.
        pub fn remove(&self, now: Timestamp) -> change in Agents =
            "UPDATE agents SET removed_at = ?2 WHERE id = ?1";

        /// Forgets that a run was asked for.
        pub fn clear_wake(&self) -> change in Agents = "UPDATE agents SET woken = 0 WHERE id = ?1";

        /// Notes that its model was there.
        pub fn clear_unavailable(&self) -> change in Agents =
            "UPDATE agents SET unavailable_since = NULL, unavailable_count = 0
                WHERE id = ?1 AND (unavailable_since IS NOT NULL OR unavailable_count > 0)";

        /// Notes since when its model is away, how many runs in a row found it so, and when the
        /// next one may start.
        pub fn set_unavailable(&self, since: Timestamp, count: u32, not_before: Timestamp)
            -> change in Agents =
            "UPDATE agents SET unavailable_since = ?2, unavailable_count = ?3, not_before = ?4
                WHERE id = ?1";
    }

    /// Forgets whom it has hired, and returns them.
    pub fn leave_children(&self, db: Db<'_>) -> Result<Vec<i64>> {
        let sql = "SELECT id FROM agents WHERE scope = ?1 AND parent = ?2 AND removed_at IS NULL";
        let children = db.all(sql, (self.scope_id, self.id))?;
        let sql = "UPDATE agents SET parent = NULL WHERE scope = ?1 AND parent = ?2";
        db.change(Table::Agents, sql, (self.scope_id, self.id))?;
        Ok(children)
    }

    /// Forgets what it waited for: a run of it begins.
    pub fn begin_run(&self, db: Db<'_>) -> Result<()> {
        if !self.woken && self.not_before.is_none() {
            return Ok(());
        }
        let sql = "UPDATE agents SET woken = 0, not_before = NULL WHERE id = ?1";
        db.change(Table::Agents, sql, (self.id,)).map(drop)
    }
}

/// What explains an id that was given in place of an agent's name. What else helps depends on the
/// run, or on the deliveries of the message.
fn taken_for_agent(name: &Name) -> Option<String> {
    let name = name.as_str();
    let commands = [
        (name.parse::<RunId>().is_ok() || name.parse::<MessageId>().is_ok(), "why"),
        (name.parse::<ProposalId>().is_ok(), "proposal show"),
        (name.parse::<ResourceId>().is_ok(), "resource read"),
    ];
    let (_, command) = commands.into_iter().find(|(is_id, _)| *is_id)?;
    Some(format!("agent-worker {command} {name}"))
}

statements! {
    /// The number of the newest agent.
    pub fn newest() -> one i64 = "SELECT max(id) FROM agents";

    /// Ends an agent's wait for its time, and has it start once even without mail if so.
    pub fn wake(id: i64, without_mail: bool) -> change in Agents =
        "UPDATE agents SET not_before = NULL, woken = ?2 WHERE id = ?1";

    /// Whether a live member of a scope has this switch on in its configuration, such as
    /// `$.groups`.
    pub fn offers(scope: i64, switch: &str) -> exists =
        "SELECT 1 FROM agents WHERE scope = ?1 AND removed_at IS NULL AND config ->> ?2";
}
