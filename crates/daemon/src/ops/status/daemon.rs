//! The state of the daemon.

use std::{collections::HashSet, path::Path};

use agent_worker_protocol::{AgentState, DaemonStatus, MemberKind, Status, StatusReport};

use crate::{
    context::{Cx, Run},
    entities::attention,
    error::Result,
    rows::{AgentRow, RunRow, WorkflowRow, conversation, daemon_state, run},
};

impl Run for Status {
    fn run(&self, cx: &mut Cx<'_>) -> Result<StatusReport> {
        cx.operator_only("the daemon's status")?;
        // Archives have no news: `list` has them.
        let (archives, scopes): (Vec<_>, Vec<_>) =
            WorkflowRow::all(cx.db)?.into_iter().partition(|row| row.is_archived);
        let archives: HashSet<_> = archives.iter().map(|row| row.id).collect();
        let mut agents = AgentRow::all(cx.db)?
            .iter()
            .filter(|row| !archives.contains(&row.scope_id))
            .map(|row| row.entity(cx.db))
            .collect::<Result<Vec<_>, _>>()?;
        let to_person = agents.iter().filter(|agent| agent.kind == MemberKind::Person);
        let unread = to_person.map(|person| person.unread).sum();
        agents.retain(|agent| agent.state != AgentState::Idle);
        Ok(StatusReport {
            daemon: daemon_status(cx)?,
            workflows: scopes.iter().map(|row| row.entity(cx.db)).collect::<Result<_, _>>()?,
            agents,
            runs: RunRow::live(cx.db)?.iter().map(RunRow::entity).collect(),
            attention: attention::sorted(cx.db, None)?,
            unread,
        })
    }
}

fn daemon_status(cx: &Cx<'_>) -> Result<DaemonStatus> {
    Ok(DaemonStatus {
        pid: std::process::id(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        uptime: cx.uptime.millis(),
        live_runs: run::live_count(cx.db)?,
        max_runs: cx.settings.max_runs(),
        messages: conversation::message_count(cx.db)?,
        database_bytes: daemon_state::database_bytes(cx.db)?,
        disk_full: cx.is_disk_full.then(|| folder(cx)),
    })
}

/// The folder of the database.
pub fn folder(cx: &Cx<'_>) -> String {
    let folder = cx.conn.path().and_then(|path| Path::new(path).parent());
    folder.map(|folder| folder.display().to_string()).unwrap_or_default()
}
