//! Folders of agent programs: each agent has one in the state directory, and it goes with the
//! agent.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use agent_worker_protocol::event::{Event, EventBody};
use tokio::sync::broadcast::{Receiver, error::RecvError};

use crate::{
    context::{credential::Credential, cx::Cx},
    engine::app::App,
    error::OpError,
    rows::{agent::AgentRow, run::RunRow},
};

const FOLDER: &str = "programs";
const PREFIX: &str = "agent_";

/// Folder of an agent's program.
pub fn folder(home: &Path, agent: i64) -> PathBuf {
    home.join(FOLDER).join(format!("{PREFIX}{agent}"))
}

/// Removes the folders of removed agents until the daemon is told to stop. What fails is logged,
/// and tried again with the next removal and at the next start.
pub async fn run(app: App) {
    tokio::select! {
        () = app.stopping().cancelled() => {}
        () = follow(&app) => {}
    }
}

async fn follow(app: &App) {
    let mut news = app.store().subscribe();
    loop {
        let is_used = tidy(app).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "looking for folders of removed agents");
            false
        });
        if !has_changed(&mut news, is_used).await {
            return;
        }
    }
}

/// Removes the folders that no agent needs. True if a run still uses one of them.
async fn tidy(app: &App) -> Result<bool, OpError> {
    let home = app.home().to_owned();
    let listed = tokio::task::spawn_blocking(move || agents(&home.join(FOLDER)));
    let agents = listed.await.unwrap_or_default();
    let look = move |cx: &mut Cx<'_>| {
        let (mut gone, mut is_used) = (Vec::new(), false);
        for agent in agents.iter().copied() {
            if AgentRow::maybe(cx.db, agent)?.is_some_and(|row| !row.removed) {
                continue;
            }
            match RunRow::live_of(cx.db, agent)? {
                Some(_) => is_used = true,
                None => gone.push(agent),
            }
        }
        Ok((gone, is_used))
    };
    let (gone, is_used) = app.store().read(Credential::Daemon, look).await?;
    for agent in gone {
        let folder = folder(app.home(), agent);
        if let Err(error) = tokio::fs::remove_dir_all(&folder).await {
            tracing::warn!(folder = %folder.display(), %error, "removing a removed agent's folder");
        }
    }
    Ok(is_used)
}

/// Numbers of the agents that have a folder.
fn agents(folder: &Path) -> Vec<i64> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.strip_prefix(PREFIX)?.parse().ok())
        .collect()
}

/// Waits until an agent is removed, or a run has ended where a run uses a folder. False if there
/// will be no more news.
async fn has_changed(news: &mut Receiver<Arc<Event>>, is_used: bool) -> bool {
    loop {
        match news.recv().await {
            Ok(event) if !concerns(&event.body, is_used) => {}
            Ok(_) | Err(RecvError::Lagged(_)) => return true,
            Err(RecvError::Closed) => return false,
        }
    }
}

fn concerns(body: &EventBody, is_used: bool) -> bool {
    match body {
        EventBody::AgentRemoved { .. } | EventBody::WorkflowRemoved { .. } => true,
        EventBody::RunChanged(run) => is_used && !run.state.is_live(),
        _ => false,
    }
}
