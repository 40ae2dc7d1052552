//! Everything that is, in one read transaction, with the place of the feed it is true at.

use agent_worker_protocol::{
    conversation::Group,
    daemon::{DaemonStatus, Status, StatusReport},
    event::Snapshot,
};
use rusqlite::Connection;

use super::{
    Cx, OpError, Run, agent::AgentRow, attention, claim, conversation::GroupRow, document, event,
    run, run::RunRow, workflow::ScopeRow,
};
use agent_worker_protocol::agent::AgentState;

/// How many ended runs a snapshot holds.
const RUNS: u32 = 200;

/// The database's epoch: new only when it is created or restored.
pub fn epoch(conn: &Connection) -> Result<String, OpError> {
    let sql = "SELECT value FROM daemon_state WHERE key = 'epoch'";
    Ok(conn.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

/// All conversations that are not closed, or those of one scope.
pub fn groups(conn: &Connection, scope: Option<i64>) -> Result<Vec<Group>, OpError> {
    let sql =
        "SELECT id FROM groups WHERE closed_at IS NULL AND (?1 IS NULL OR scope = ?1) ORDER BY id";
    let mut statement = conn.prepare_cached(sql)?;
    let ids = statement.query_map([scope], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
    ids.into_iter().map(|id| GroupRow::by_id(conn, id)?.entity(conn)).collect()
}

/// Takes a snapshot.
pub fn take(cx: &Cx<'_>) -> Result<Snapshot, OpError> {
    let conn = cx.conn;
    let agents = AgentRow::all(conn)?;
    let workflows = ScopeRow::all(conn)?;
    Ok(Snapshot {
        epoch: epoch(conn)?,
        seq: event::range(conn)?.1,
        workflows: workflows.iter().map(|row| row.entity(conn)).collect::<Result<_, _>>()?,
        agents: agents.iter().map(|row| row.entity(conn)).collect::<Result<_, _>>()?,
        groups: groups(conn, None)?,
        runs: run::newest(conn, RUNS)?,
        documents: document::list(conn, None)?,
        attention: attention::list(conn, None)?,
    })
}

impl Run for Status {
    fn run(&self, cx: &mut Cx<'_>) -> Result<StatusReport, OpError> {
        cx.operator_only("the daemon's status")?;
        let conn = cx.conn;
        let mut agents = AgentRow::all(conn)?
            .iter()
            .map(|row| row.entity(conn))
            .collect::<Result<Vec<_>, _>>()?;
        agents.retain(|agent| agent.state != AgentState::Idle);
        Ok(StatusReport {
            daemon: daemon_status(cx)?,
            workflows: ScopeRow::all(conn)?
                .iter()
                .map(|row| row.entity(conn))
                .collect::<Result<_, _>>()?,
            agents,
            runs: RunRow::live(conn)?.iter().map(RunRow::entity).collect(),
            attention: attention::list(conn, None)?,
        })
    }
}

fn daemon_status(cx: &Cx<'_>) -> Result<DaemonStatus, OpError> {
    let number = |sql: &str| -> Result<i64, OpError> {
        Ok(cx.conn.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
    };
    let started: Option<String> = {
        use rusqlite::OptionalExtension;
        let sql = "SELECT value FROM daemon_state WHERE key = 'started_at'";
        cx.conn.prepare_cached(sql)?.query_row([], |row| row.get(0)).optional()?
    };
    let started = started.and_then(|at| at.parse().ok()).unwrap_or(cx.now.0);
    Ok(DaemonStatus {
        pid: std::process::id(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        uptime: cx.now.0.saturating_sub(started),
        live_runs: claim::live_count(cx.conn)?,
        max_runs: cx.settings.max_runs(),
        messages: number("SELECT coalesce(sum(messages), 0) FROM groups")?,
        database_bytes: number("PRAGMA page_count")? * number("PRAGMA page_size")?,
    })
}
