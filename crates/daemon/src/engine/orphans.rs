//! What an earlier daemon's runs and setups have left, found when a new one starts.

use agent_worker_process::{self as process, Process};

use crate::{
    changes::daemon::recover::Leftovers,
    context::{Credential, Cx, Store},
    rows::RunRow,
    token,
};

/// The variable by which whatever a run has started knows its token.
const TOKEN: &str = "AGENT_WORKER_TOKEN";

/// The variable that holds the epoch of the database, in everything a setup step starts.
pub const SETUP: &str = "AGENT_WORKER_SETUP";

/// Ends all of it. A worker is known by its number and its start; what has lost worker and daemon
/// at once, by the token of its run or as of a setup step.
pub async fn end(store: &Store, leftovers: Leftovers) {
    let noted = leftovers.noted.into_iter().filter(|process| process.is_alive());
    end_trees(noted.collect()).await;
    if leftovers.has_crashed {
        end_trees(orphans(store).await).await;
        end_trees(of_setups(leftovers.epoch).await).await;
    }
}

/// Processes that have a token of a run, wherever that run and they came from.
async fn orphans(store: &Store) -> Vec<Process> {
    let look = || Process::with_variable(TOKEN);
    let mut found = tokio::task::spawn_blocking(look).await.unwrap_or_default();
    found.retain(|(process, _)| *process != Process::current());
    if found.is_empty() {
        return Vec::new();
    }
    let known = move |cx: &mut Cx<'_>| {
        let mut orphans = Vec::new();
        for (process, token) in &found {
            if RunRow::has_token(cx.db, &token::token_hash(token))? {
                orphans.push(*process);
            }
        }
        Ok(orphans)
    };
    store.read(Credential::Daemon, known).await.unwrap_or_default()
}

/// Processes that setup steps of a database's daemon have started: none of them is wanted any more.
/// Spares this daemon's ancestors, because a command of a step may have started it.
async fn of_setups(epoch: String) -> Vec<Process> {
    let look = move || -> Vec<Process> {
        let own = Process::current();
        let mut found = Process::with_variable(SETUP);
        found.retain(|(process, of)| *of == epoch && *process != own);
        let marked = found.into_iter().map(|(process, _)| process);
        marked.filter(|process| !process.descendants().contains(&own)).collect()
    };
    tokio::task::spawn_blocking(look).await.unwrap_or_default()
}

async fn end_trees(processes: Vec<Process>) {
    if processes.is_empty() {
        return;
    }
    let end = move || processes.into_iter().for_each(process::end_tree);
    drop(tokio::task::spawn_blocking(end).await);
}
