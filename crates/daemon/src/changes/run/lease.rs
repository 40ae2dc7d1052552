//! Claims: which agent works next, and on what. The run, its leases and its token's hash are in
//! the tables before any process starts.

use agent_worker_protocol::{
    agent::MemberKind,
    id::RunId,
    inbox::DeliveryState,
    run::{RunKind, RunState},
    session::SessionTurn,
    time::Timestamp,
};
use rusqlite::{Connection, params};

use crate::{
    changes::{
        message::conversation::GroupRow,
        run::{batch::Batch, session},
    },
    context::cx::Cx,
    error::OpError,
    ops::message::read,
    rows::{
        agent::{AgentConfig, AgentRow},
        delivery::{self, DeliveryRow},
        question::HELD_UP,
        run::{self, LIVE, RunRow},
        word::{Json, Word},
        workflow::ScopeRow,
    },
    rules::{budget, loop_guard},
};

/// What the supervisor needs to start a worker.
#[derive(Debug, Clone)]
pub struct Claimed {
    pub run: RunRow,
    pub agent: AgentRow,
    pub scope: ScopeRow,
    pub system: Option<String>,
    /// What else its worker is made from
    pub config: AgentConfig,
    /// Turns of its script that earlier runs of this generation have used up
    pub played: Vec<u32>,
    /// The turns of its session; none if its backend has none
    pub session: Option<Vec<SessionTurn>>,
    /// Whether only a summary of the session is kept
    pub begins_anew: bool,
}

/// How mail is treated that was there when the daemon started: it may not start a storm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    /// The newest message of that time
    pub until: i64,
    /// Whether a run may start for such mail now
    pub is_open: bool,
}

/// An agent that could work.
pub struct Candidate {
    agent: i64,
    scope: i64,
    live_in_scope: i64,
    woken: bool,
}

/// Claims one run, if there is work and a place for it.
pub fn claim(
    cx: &mut Cx<'_>,
    token_hash: &[u8; 32],
    backlog: Backlog,
) -> Result<Option<Claimed>, OpError> {
    if live_count(cx.conn)? >= cx.settings.max_runs() {
        return Ok(None);
    }
    let mut ready = Vec::new();
    for candidate in candidates(cx)? {
        let due = delivery::first_due(cx, candidate.agent)?;
        if due.is_some() || candidate.woken {
            ready.push((candidate, due));
        }
    }
    ready.sort_by_key(|(candidate, due)| {
        (candidate.live_in_scope, due.as_ref().map_or(0, |due| due.seq), candidate.agent)
    });
    for (candidate, due) in ready {
        let is_backlog = due.as_ref().is_some_and(|due| due.seq <= backlog.until);
        if is_backlog && !backlog.is_open {
            continue;
        }
        if let Some(claimed) = claim_for(cx, &candidate, token_hash)? {
            return Ok(Some(claimed));
        }
    }
    Ok(None)
}

/// The number of runs that take a place. A run that waits for a permission takes none.
pub fn live_count(conn: &Connection) -> Result<i64, OpError> {
    let sql = format!(
        "SELECT count(*) FROM runs AS r INDEXED BY runs_live
         WHERE r.state IN {LIVE} AND r.kind <> 'external' AND NOT {HELD_UP}"
    );
    Ok(conn.prepare_cached(&sql)?.query_row([], |row| row.get(0))?)
}

/// How many runs of a scope take a place.
pub fn live_count_of(conn: &Connection, scope: i64) -> Result<i64, OpError> {
    let sql = format!(
        "SELECT count(*) FROM runs AS r INDEXED BY runs_live_of_scope
         WHERE r.scope = ?1 AND r.state IN {LIVE} AND r.kind <> 'external' AND NOT {HELD_UP}"
    );
    Ok(conn.prepare_cached(&sql)?.query_row([scope], |row| row.get(0))?)
}

pub fn candidates(cx: &Cx<'_>) -> Result<Vec<Candidate>, OpError> {
    let sql = format!(
        "SELECT a.id, a.scope, a.woken, w.limits,
             (SELECT count(*) FROM runs AS r INDEXED BY runs_live_of_scope
              WHERE r.scope = a.scope AND r.state IN {LIVE} AND r.kind <> 'external'
                AND NOT {HELD_UP}) AS live
         FROM agents AS a JOIN workflows AS w ON w.id = a.scope
         WHERE a.removed_at IS NULL AND a.kind = 'agent' AND a.wanted = 'active'
           AND (a.unread > 0 OR a.woken = 1)
           AND (a.not_before IS NULL OR a.not_before NOT BETWEEN ?1 + 1 AND ?2) AND w.state = 'running'
           AND NOT EXISTS (SELECT 1 FROM runs AS r INDEXED BY runs_live
                           WHERE r.agent = a.id AND r.state IN {LIVE})"
    );
    let mut statement = cx.conn.prepare_cached(&sql)?;
    let longest = cx.now.after(cx.settings.longest_backoff());
    let mut rows = statement.query([cx.now.0, longest.0])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let limits: Json<agent_worker_protocol::workflow::Limits> = row.get("limits")?;
        let live_in_scope: i64 = row.get("live")?;
        if limits.0.max_runs.is_none_or(|most| live_in_scope < i64::from(most)) {
            found.push(Candidate {
                agent: row.get("id")?,
                scope: row.get("scope")?,
                live_in_scope,
                woken: row.get("woken")?,
            });
        }
    }
    Ok(found)
}

/// Claims a run of one agent. None if a budget or the loop guard holds all its due mail.
pub fn claim_for(
    cx: &mut Cx<'_>,
    candidate: &Candidate,
    token_hash: &[u8; 32],
) -> Result<Option<Claimed>, OpError> {
    let agent = AgentRow::by_id(cx.conn, candidate.agent)?;
    let scope = ScopeRow::by_id(cx.conn, candidate.scope)?;
    if let Some(reason) = budget::exhausted(cx, &scope) {
        hold_due(cx, &agent, &reason)?;
        return Ok(None);
    }
    let first = first_allowed(cx, &agent, &scope)?;
    if first.is_none() && !candidate.woken {
        return Ok(None);
    }
    let batch = Batch::of_run(cx, &agent, first, candidate.woken)?;
    let run = insert(cx, &agent, &scope, &batch, Some(token_hash))?;
    lease(cx, &agent, run.id, batch.mail)?;
    cx.conn
        .prepare_cached("UPDATE agents SET woken = 0, not_before = NULL WHERE id = ?1")?
        .execute([agent.id])?;
    cx.conn
        .prepare_cached("UPDATE workflows SET runs_used = runs_used + 1 WHERE id = ?1")?
        .execute([scope.id])?;
    cx.touch_agent(agent.id);
    cx.touch_scope(scope.id);
    cx.judge(scope.id);
    let run = run::announce(cx, run.id)?;
    Ok(Some(Claimed {
        system: agent.system(cx.conn)?,
        config: agent.config(cx.conn)?,
        played: played(cx, &agent, &scope)?,
        session: session::turns_of_run(cx.conn, run.id.number())?,
        begins_anew: session::begins_anew(cx.conn, run.id.number())?,
        run,
        agent,
        scope,
    }))
}

/// Holds all due mail of an agent whose scope has used up a budget.
pub fn hold_due(cx: &mut Cx<'_>, agent: &AgentRow, reason: &str) -> Result<(), OpError> {
    while let Some(mut due) = delivery::first_due(cx, agent.id)? {
        due.refuse(reason)?;
        due.save(cx, agent)?;
    }
    if agent.woken {
        cx.conn.prepare_cached("UPDATE agents SET woken = 0 WHERE id = ?1")?.execute([agent.id])?;
        cx.touch_agent(agent.id);
        cx.judge(agent.scope_id);
    }
    Ok(())
}

/// The first due mail whose root has not led to too many runs; what has is held.
pub fn first_allowed(
    cx: &mut Cx<'_>,
    agent: &AgentRow,
    scope: &ScopeRow,
) -> Result<Option<DeliveryRow>, OpError> {
    let most = loop_guard::most_runs(cx, scope);
    while let Some(mut due) = delivery::first_due(cx, agent.id)? {
        let runs = loop_guard::runs_of_root(cx, due.root)?;
        if runs < most || due.released {
            return Ok(Some(due));
        }
        due.hold(&format!(
            "{}: msg_{} has led to {runs} runs, and {most} is the limit",
            loop_guard::RUNS,
            due.root
        ))?;
        due.save(cx, agent)?;
    }
    Ok(None)
}

/// Opens a run for an external member with deliveries: due ones first, else the others in its
/// inbox. It leases at most `most` messages.
pub fn open_outside(
    cx: &mut Cx<'_>,
    agent: &AgentRow,
    scope: &ScopeRow,
    most: u32,
) -> Result<Option<RunRow>, OpError> {
    if let Some(reason) = budget::exhausted(cx, scope) {
        hold_due(cx, agent, &reason)?;
        return Ok(None);
    }
    let first = first_allowed(cx, agent, scope)?;
    let was_woken = first.is_none();
    let mut batch = Batch::of_run(cx, agent, first, was_woken)?;
    batch.mail.truncate(most as usize);
    if batch.mail.is_empty() {
        return Ok(None);
    }
    let run = insert(cx, agent, scope, &batch, None)?;
    lease(cx, agent, run.id, batch.mail)?;
    cx.touch_agent(agent.id);
    cx.judge(scope.id);
    run::announce(cx, run.id).map(Some)
}

pub fn insert(
    cx: &mut Cx<'_>,
    agent: &AgentRow,
    scope: &ScopeRow,
    batch: &Batch,
    token_hash: Option<&[u8; 32]>,
) -> Result<RunRow, OpError> {
    let cause = batch.mail.iter().find(|row| row.wakes);
    let group = match cause.map(|row| row.group_id).or(batch.conversation()) {
        Some(group) => GroupRow::by_id(cx.conn, group)?,
        None => GroupRow::channel(cx.conn, scope)?,
    };
    let kind = match cause {
        _ if agent.kind == MemberKind::External || token_hash.is_none() => RunKind::External,
        None => RunKind::Wake,
        Some(row) if row.is_question() => RunKind::Ask,
        Some(row) if row.is_schedule() => RunKind::Scheduled,
        Some(_) if group.is_direct() => RunKind::Direct,
        Some(_) => RunKind::Mention,
    };
    let sql =
        "INSERT INTO runs (scope, agent, generation, kind, group_id, cause, attempt, retry_of,
                   solo, state, token_hash, model, backend, started_at, session, was_full)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";
    let retry_of = cause.and_then(|row| row.run);
    let session = session::of_run(cx, agent, scope, kind, cause)?;
    let state = if kind == RunKind::External { RunState::Running } else { RunState::Starting };
    cx.conn.prepare_cached(sql)?.execute(params![
        scope.id,
        agent.id,
        scope.generation,
        Word(kind),
        group.id,
        cause.map(|row| row.seq),
        cause.map_or(0, |row| row.attempts) + 1,
        retry_of,
        cause.is_some_and(DeliveryRow::runs_alone),
        Word(state),
        token_hash,
        agent.model,
        agent.backend,
        cx.now.0,
        session,
        batch.is_full
    ])?;
    RunRow::by_id(cx.conn, RunId::new(cx.conn.last_insert_rowid()))
}

/// Leases mail to a run.
pub fn lease(
    cx: &mut Cx<'_>,
    agent: &AgentRow,
    run: RunId,
    mail: Vec<DeliveryRow>,
) -> Result<(), OpError> {
    if mail.iter().any(|delivery| delivery.wakes) {
        // What the run said before this answers none of it.
        cx.conn
            .prepare_cached("UPDATE runs SET lease_seq = ?2 WHERE id = ?1")?
            .execute([run.number(), read::newest_seq(cx.conn)?])?;
    }
    for mut delivery in mail {
        let sql = "INSERT INTO run_roots (run, seq, root, wakes) VALUES (?1, ?2, ?3, ?4)";
        cx.conn.prepare_cached(sql)?.execute(params![
            run.number(),
            delivery.seq,
            delivery.root,
            delivery.wakes
        ])?;
        delivery.go(DeliveryState::Leased)?;
        delivery.run = Some(run.number());
        delivery.attempts += 1;
        delivery.save(cx, agent)?;
    }
    let (hop, root) = distance(&delivery::of_run(cx.conn, run.number(), agent.id)?);
    cx.conn
        .prepare_cached("UPDATE runs SET hop = ?2, root = ?3 WHERE id = ?1")?
        .execute(params![run.number(), hop, root])?;
    Ok(())
}

/// How far a run is from a person, and the message that it goes back to: those of the mail that
/// wakes it, or of all its mail if none does. A newer message of the person sets the distance
/// back.
pub fn distance(mail: &[DeliveryRow]) -> (i64, Option<i64>) {
    let has_waking = mail.iter().any(|row| row.wakes);
    let (mut hop, mut root) = (0, None);
    for row in mail.iter().filter(|row| row.wakes || !has_waking) {
        if row.sender_kind == MemberKind::Person {
            (hop, root) = (0, Some(row.root));
        } else if row.hop >= hop || root.is_none() {
            (hop, root) = (row.hop, Some(row.root));
        }
    }
    (hop, root)
}

/// A turn is used up when a run of this generation chose it that was not lost.
pub fn played(cx: &Cx<'_>, agent: &AgentRow, scope: &ScopeRow) -> Result<Vec<u32>, OpError> {
    let sql = "SELECT turn FROM runs WHERE agent = ?1 AND generation = ?2 AND turn IS NOT NULL
               AND state <> 'lost' ORDER BY id";
    let mut statement = cx.conn.prepare_cached(sql)?;
    let turns = statement.query_map([agent.id, scope.generation], |row| row.get(0))?;
    Ok(turns.collect::<Result<_, _>>()?)
}

/// When something becomes due that waits for its time; none if nothing does.
pub fn next_due(conn: &Connection, now: Timestamp) -> Result<Option<Timestamp>, OpError> {
    let sql = "SELECT min(due) FROM (
                   SELECT min(not_before) AS due FROM deliveries INDEXED BY deliveries_waiting
                   WHERE state = 'waiting' AND not_before > ?1
                   UNION ALL
                   SELECT min(not_before) FROM agents
                   WHERE removed_at IS NULL AND not_before > ?1)";
    let due: Option<i64> = conn.prepare_cached(sql)?.query_row([now.0], |row| row.get(0))?;
    Ok(due.map(Timestamp))
}
