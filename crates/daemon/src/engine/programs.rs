//! Folders of agent programs: each agent has one in the state directory, and it goes with the
//! agent.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use agent_worker_protocol::EventBody;

use crate::{
    context::{Credential, Cx, store::heard},
    engine::app::App,
    error::OpError,
    rows::{AgentRow, RunRow},
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
        if !heard(&mut news, |body| concerns(body, is_used)).await {
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
        let path = folder.clone();
        let removed = tokio::task::spawn_blocking(move || remove(&path)).await;
        if let Err(error) = removed.unwrap_or_else(|error| Err(error.into())) {
            tracing::warn!(folder = %folder.display(), %error, "removing a removed agent's folder");
        }
    }
    Ok(is_used)
}

/// Removes a folder, also where a program has left folders in it that cannot be written.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_up(folder)?;
            fs::remove_dir_all(folder)
        }
        removed => removed,
    }
}

/// Lets the owner change a folder and those below it. Links are not followed.
fn open_up(folder: &Path) -> io::Result<()> {
    let mut permissions = fs::symlink_metadata(folder)?.permissions();
    permissions.set_mode(permissions.mode() | 0o700);
    fs::set_permissions(folder, permissions)?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open_up(&entry.path())?;
        }
    }
    Ok(())
}

/// Numbers of the agents that have a folder.
fn agents(folder: &Path) -> Vec<i64> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.strip_prefix(PREFIX)?.parse().ok())
        .collect()
}

/// Whether an agent is removed, or a run has ended where a run uses a folder.
fn concerns(body: &EventBody, is_used: bool) -> bool {
    match body {
        EventBody::AgentRemoved { .. } | EventBody::WorkflowRemoved { .. } => true,
        EventBody::RunChanged(run) => is_used && !run.state.is_live(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_read_only_folders_in_it_is_removed() {
        let home = tempfile::tempdir().unwrap();
        let (kept, folder) = (home.path().join("kept"), home.path().join("agent_1"));
        let inner = folder.join("a/b");
        fs::create_dir_all(&inner).unwrap();
        fs::create_dir(&kept).unwrap();
        fs::write(inner.join("file"), "x").unwrap();
        std::os::unix::fs::symlink(&kept, folder.join("link")).unwrap();
        for closed in [&kept, &inner, &folder.join("a")] {
            fs::set_permissions(closed, fs::Permissions::from_mode(0o500)).unwrap();
        }
        // Root needs no permission, so the folders are looked at too.
        open_up(&folder).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&inner), mode(&kept)), (0o700, 0o500));
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o500)).unwrap();
        remove(&folder).unwrap();
        assert!(!folder.exists() && kept.exists());
    }
}
