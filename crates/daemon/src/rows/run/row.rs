//! Runs: rows, entities, and how people end them.

use std::str::FromStr;

use agent_worker_protocol::{
    FailureClass, ModelAway, Name, RunId, RunKind, RunState, Scope, Target, Timestamp, Usage,
    words::UnknownWord,
};

use crate::{
    error::{OpError, Result},
    rows::{
        Db,
        layer::column::{columns, parsed},
        row, sql, statements, table,
    },
};

/// What is true of a run `r` that waits for a permission: its times stand still, and it takes no
/// place.
pub const HELD_UP: &str = "EXISTS (SELECT 1 FROM questions AS q INDEXED BY questions_of_run
    WHERE q.run = r.id AND q.waits = 1 AND q.kind = 'permission')";

/// What is true of a run `r` that takes a place.
pub const TAKES_PLACE: &str =
    sql!("r.state IN ", LIVE, " AND r.kind <> 'external' AND NOT ", HELD_UP);

/// How a run ends that does not succeed. Stopping an agent is a cancel that gives the mail back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndCause {
    Transient,
    TimedOut,
    Unavailable,
    Overflow,
    Permanent,
    Lost,
    OverBudget,
    Cancelled,
    Stopped,
}

columns!(value => Ok(value.as_str().into()), parsed(value); EndCause);

impl FromStr for EndCause {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        if word == Self::STOPPED {
            Ok(Self::Stopped)
        } else {
            FailureClass::from_str(word).map(Self::from)
        }
    }
}

impl From<FailureClass> for EndCause {
    fn from(class: FailureClass) -> Self {
        match class {
            FailureClass::Transient => Self::Transient,
            FailureClass::TimedOut => Self::TimedOut,
            FailureClass::Unavailable => Self::Unavailable,
            FailureClass::Overflow => Self::Overflow,
            FailureClass::Permanent => Self::Permanent,
            FailureClass::Lost => Self::Lost,
            FailureClass::OverBudget => Self::OverBudget,
            FailureClass::Cancelled => Self::Cancelled,
        }
    }
}

impl EndCause {
    const STOPPED: &str = "stopped";

    /// Returns the word for it.
    fn as_str(self) -> &'static str {
        if self == Self::Stopped { Self::STOPPED } else { self.class().as_str() }
    }

    /// As people see it.
    pub fn class(self) -> FailureClass {
        match self {
            Self::Transient => FailureClass::Transient,
            Self::TimedOut => FailureClass::TimedOut,
            Self::Unavailable => FailureClass::Unavailable,
            Self::Overflow => FailureClass::Overflow,
            Self::Permanent => FailureClass::Permanent,
            Self::Lost => FailureClass::Lost,
            Self::OverBudget => FailureClass::OverBudget,
            Self::Cancelled | Self::Stopped => FailureClass::Cancelled,
        }
    }

    /// The state of a run that ended so.
    pub fn state(self) -> RunState {
        match self {
            Self::Transient | Self::Unavailable | Self::Overflow | Self::Permanent => {
                RunState::Failed
            }
            Self::TimedOut => RunState::TimedOut,
            Self::Lost => RunState::Lost,
            Self::OverBudget => RunState::OverBudget,
            Self::Cancelled | Self::Stopped => RunState::Cancelled,
        }
    }
}

row! {
    /// A run, with the names of its scope and its agent.
    #[derive(Debug, Clone)]
    pub struct RunRow from "runs AS r" {
        id: RunId = "r.id",
        scope_id: i64 = "r.scope",
        scope: Scope =
            "(SELECT '@' || w.name || ':' || w.tag FROM workflows AS w WHERE w.id = r.scope)",
        agent: i64 = "r.agent",
        agent_name: Name = "(SELECT a.name FROM agents AS a WHERE a.id = r.agent)",
        agent_removed: bool =
            "(SELECT a.removed_at IS NOT NULL FROM agents AS a WHERE a.id = r.agent)",
        kind: RunKind = "r.kind",
        group_id: Option<i64> = "r.group_id",
        cause: Option<i64> = "r.cause",
        attempt: i64 = "r.attempt",
        retry_of: Option<i64> = "r.retry_of",
        solo: bool = "r.solo",
        lease_seq: i64 = "r.lease_seq",
        hop: i64 = "r.hop",
        root: Option<i64> = "r.root",
        state: RunState = "r.state",
        class: Option<FailureClass> = "r.class",
        error: Option<String> = "r.error",
        end_by: Option<Timestamp> = "r.end_by",
        end_class: Option<EndCause> = "r.end_class",
        end_error: Option<String> = "r.end_error",
        activity: Option<String> = "r.activity",
        away: Option<ModelAway> = "r.away",
        spoke_at: Option<Timestamp> = "r.spoke_at",
        is_silent: bool = "r.is_silent",
        model: Option<String> = "r.model",
        backend: Option<String> = "r.backend",
        input_tokens: Option<i64> = "r.input_tokens",
        output_tokens: Option<i64> = "r.output_tokens",
        cache_read: Option<i64> = "r.cache_read",
        cache_write: Option<i64> = "r.cache_write",
        reasoning_tokens: Option<i64> = "r.reasoning_tokens",
        cost: Option<i64> = "r.cost",
        exit: Option<i32> = "r.exit",
        signal: Option<i32> = "r.signal",
        pid: Option<i64> = "r.pid",
        pid_started: Option<i64> = "r.pid_started",
        started_at: Timestamp = "r.started_at",
        ended_at: Option<Timestamp> = "r.ended_at",
    }
}

table! {
    /// A run that begins.
    pub struct NewRun<'a> into Runs {
        scope: i64,
        agent: i64,
        generation: i64,
        kind: RunKind,
        group_id: i64,
        cause: Option<i64>,
        attempt: i64,
        retry_of: Option<i64>,
        solo: bool,
        state: RunState,
        token_hash: Option<&'a [u8; 32]>,
        model: Option<&'a str>,
        backend: Option<&'a str>,
        started_at: Timestamp,
        session: Option<i64>,
        was_full: bool,
        lease_seq: i64,
        hop: i64,
        root: Option<i64>,
    }
}

/// The states of a live run, for SQL that uses the partial indexes.
pub const LIVE: &str = "('starting', 'running', 'ending')";

/// Live runs of a scope, to which conditions and an order are added.
const LIVE_OF_SCOPE: &str =
    sql!(RunRow::SELECT, " INDEXED BY runs_live_of_scope WHERE r.scope = ?1 AND r.state IN ", LIVE);

row! {
    /// What a run has left behind.
    #[derive(Default)]
    pub struct Left from "runs" {
        result: Option<String>,
        /// The end of what it said on standard error
        stderr: Option<String>,
        /// Where it worked
        cwd: Option<String>,
    }
}

/// Refusal of a run that does not exist, or that the caller may not see.
pub fn missing(id: RunId) -> OpError {
    OpError::not_found(format!("run `{id}` not found")).hint("agent-worker runs")
}

impl RunRow {
    /// The tokens it used, as far as they are known.
    pub fn usage(&self) -> Usage {
        Usage {
            input: self.input_tokens,
            output: self.output_tokens,
            cache_read: self.cache_read,
            cache_write: self.cache_write,
            reasoning: self.reasoning_tokens,
        }
    }

    pub fn by_id(db: Db<'_>, id: RunId) -> Result<Self> {
        Self::find(db, id)?.ok_or_else(|| missing(id))
    }

    /// The live run of a token, if it is the token of a run. An ended run is refused and changes
    /// nothing.
    pub fn by_token(db: Db<'_>, hash: &[u8; 32]) -> Result<Option<Self>> {
        const SQL: &str =
            sql!(RunRow::SELECT, " WHERE r.token_hash = ?1 AND r.token_hash IS NOT NULL");
        let run: Option<Self> = db.maybe(SQL, (hash,))?;
        match run {
            Some(run) if !run.takes_calls() => {
                Err(OpError::run_ended(format!("{} has ended", run.id)))
            }
            run => Ok(run),
        }
    }

    /// The run that a member outside has open.
    pub fn open_outside(db: Db<'_>, agent: i64) -> Result<Option<Self>> {
        let Some(id) = Self::live_of(db, agent)? else { return Ok(None) };
        Ok(Self::find(db, id)?.filter(|run| run.kind == RunKind::External))
    }

    statements! {
        /// The run, if there is one.
        pub fn find(id: RunId) -> maybe Self = RunRow::SELECT, " WHERE r.id = ?1";

        /// Whether a run has, or had, a token of this hash.
        pub fn has_token(hash: &[u8; 32]) -> exists =
            "SELECT 1 FROM runs WHERE token_hash = ?1 AND token_hash IS NOT NULL";

        /// The number of an agent's live run.
        pub fn live_of(agent: i64) -> maybe RunId =
            "SELECT id FROM runs INDEXED BY runs_live WHERE agent = ?1 AND state IN ", LIVE;

        pub fn live() -> all Self =
            RunRow::SELECT, " INDEXED BY runs_live WHERE r.state IN ", LIVE, " ORDER BY r.id";

        /// Whether a scope has a live run.
        pub fn has_live(scope: i64) -> exists =
            "SELECT 1 FROM runs INDEXED BY runs_live_of_scope WHERE scope = ?1 AND state IN ",
            LIVE,
            " LIMIT 1";

        /// The live runs of a scope.
        pub fn live_of_scope(scope: i64) -> all Self = LIVE_OF_SCOPE, " ORDER BY r.id";

        /// The running runs of a scope that may hang.
        pub fn silent_of_scope(scope: i64) -> all Self =
            LIVE_OF_SCOPE, " AND r.state = 'running' AND r.is_silent = 1 ORDER BY r.id";
    }

    /// Whether its token is alive: neither its end is decided nor its agent gone.
    fn takes_calls(&self) -> bool {
        matches!(self.state, RunState::Starting | RunState::Running) && !self.agent_removed
    }

    pub fn target(&self) -> Target {
        Target::member(self.agent_name.clone(), self.scope.clone())
    }
}

statements! {
    /// The number of runs that take a place. A run that waits for a permission takes none.
    pub fn live_count() -> one i64 =
        "SELECT count(*) FROM runs AS r INDEXED BY runs_live WHERE ", TAKES_PLACE;

    /// How many runs of a scope take a place.
    pub fn live_count_of(scope: i64) -> one i64 =
        "SELECT count(*) FROM runs AS r INDEXED BY runs_live_of_scope WHERE r.scope = ?1 AND ",
        TAKES_PLACE;

    /// What a run has left behind.
    pub fn left(id: RunId) -> one Left = Left::SELECT, " WHERE id = ?1";

    /// The turns of its script that an agent's runs of a generation chose, unless they were lost.
    pub fn played_turns(agent: i64, generation: i64) -> all u32 =
        "SELECT turn FROM runs WHERE agent = ?1 AND generation = ?2 AND turn IS NOT NULL
            AND state <> 'lost' ORDER BY id";

    /// How many of an agent's newest runs failed after a time and not after `latest`, and after it
    /// was last made active.
    pub fn failures_since(agent: i64, since: Timestamp, latest: Timestamp) -> one i64 =
        "SELECT count(*) FROM (
                SELECT id, class, ended_at FROM runs WHERE agent = ?1 ORDER BY id DESC LIMIT 200)
            WHERE class IN ('transient', 'timed_out') AND ended_at > ?2 AND ended_at <= ?3
              AND id > coalesce((SELECT forgiven_run FROM agents WHERE id = ?1), 0)";

    /// How many runs a message has led to: those that it woke, not those that were only informed.
    /// Runs that used no attempt because their model was unavailable or the daemon died are not
    /// counted.
    pub fn count_of_root(root: i64) -> one i64 =
        "SELECT count(DISTINCT had.run) FROM run_roots AS had INDEXED BY run_roots_waking
            CROSS JOIN runs AS r ON r.id = had.run
            WHERE had.root = ?1 AND had.wakes = 1
              AND coalesce(r.class NOT IN ('unavailable', 'lost'), 1)";

    /// Whether a message that a run was given is hidden.
    pub fn was_given_hidden(run: RunId) -> exists =
        "SELECT 1 FROM run_roots AS had JOIN messages AS m ON m.seq = had.seq
            WHERE had.run = ?1 AND m.hidden = 1";

    /// The newest runs of an agent before a number, newest first.
    pub fn of_agent(agent: i64, before: i64, limit: u32) -> all RunRow =
        RunRow::SELECT, " WHERE r.agent = ?1 AND r.id < ?2 ORDER BY r.id DESC LIMIT ?3";
}

const OF_SCOPE: &str =
    sql!(RunRow::SELECT, " WHERE r.scope = ?1 AND r.id < ?2 ORDER BY r.id DESC LIMIT ?3");
const OF_ALL: &str = sql!(RunRow::SELECT, " WHERE r.id < ?1 ORDER BY r.id DESC LIMIT ?2");

/// The newest runs of a scope, or of all, before a number, newest first.
pub fn page(db: Db<'_>, scope: Option<i64>, before: i64, limit: u32) -> Result<Vec<RunRow>> {
    match scope {
        Some(scope) => db.all(OF_SCOPE, (scope, before, limit)),
        None => db.all(OF_ALL, (before, limit)),
    }
}
