//! Finds the daemon, and starts one if none is running.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use agent_worker_process::Process;
use agent_worker_protocol::{DaemonFile, state_dir};
use rustix::process::{Pid, test_kill_process};
use tokio::time::Instant;

use super::{
    FindError, Home,
    lock::{Hold, apart, is_held, locked, stuck},
    start::start,
};
use crate::{ClientError, Endpoint, Gone, Relocate, Revive};

/// How long a daemon may take until it is ready.
const READY_LIMIT: Duration = Duration::from_secs(20);

/// How long one waits for another who starts a daemon: until that one must have given up.
const TURN_LIMIT: Duration = Duration::from_secs(45);

/// How long a daemon that answers no more may take to end.
const DEATH_LIMIT: Duration = Duration::from_secs(5);

/// Returns the running daemon, if any. Waits for a daemon that is starting; starts none.
pub async fn find(home: &Home) -> Result<Option<DaemonFile>, FindError> {
    find_within(home, READY_LIMIT).await
}

/// Returns the daemon, and starts one if none is running. Concurrent callers start only one.
pub async fn connect_or_start(home: &Home, program: &Path) -> Result<DaemonFile, FindError> {
    connect_or_start_within(home, program, READY_LIMIT).await
}

/// Returns the daemon, and starts one if none is running and a program is given.
pub async fn find_or_start(
    home: &Home,
    program: Option<&Path>,
) -> Result<Option<DaemonFile>, FindError> {
    match program {
        Some(program) => connect_or_start(home, program).await.map(Some),
        None => find(home).await,
    }
}

/// Waits until this daemon of this machine has ended, also where the next one has its lock by then;
/// false if it still runs after this time.
pub async fn wait_until_gone(
    home: &Home,
    daemon: &DaemonFile,
    limit: Duration,
) -> Result<bool, FindError> {
    let is_replaced = home.read()?.is_some_and(|now| now != *daemon);
    let path = home.daemon_lock();
    if is_replaced || !is_held(&path)? {
        return Ok(true);
    }
    let process = i32::try_from(daemon.pid).ok().and_then(Process::of);
    let Some(process) = process else { return Ok(true) };
    apart(move || process.ends_within(limit)).await.map_err(FindError::io(&path))
}

/// What [`crate::Feed::relocate`] takes, for a command that goes on over restarts: the daemon is
/// looked for, and started if it is missing and a program is given.
pub fn relocation(home: Home, program: Option<PathBuf>) -> Relocate {
    Box::new(move || {
        let (home, program) = (home.clone(), program.clone());
        Box::pin(async move { located(&home, program.as_deref()).await })
    })
}

/// What [`crate::Client::reviving`] takes. A daemon that ends is found until its process is gone,
/// also when it takes no more connections.
pub fn revival(home: Home, program: Option<PathBuf>) -> Revive {
    Revive(Arc::new(move |gone: Gone, known: Endpoint| {
        let (home, program) = (home.clone(), program.clone());
        Box::pin(async move {
            let file = home.read().ok().flatten().filter(|file| home.endpoint(file) == known);
            if gone == Gone::Unreachable
                && let Some(file) = file
            {
                // What cannot be read is told by the next look.
                drop(wait_until_gone(&home, &file, DEATH_LIMIT).await);
            }
            located(&home, program.as_deref()).await
        })
    }))
}

async fn located(home: &Home, program: Option<&Path>) -> Result<Endpoint, ClientError> {
    let why = match find_or_start(home, program).await {
        Ok(Some(file)) => return Ok(home.endpoint(&file)),
        Ok(None) => FindError::NotRunning,
        Err(error) => error,
    };
    Err(ClientError::Unreachable { base: home.shown(), source: io::Error::other(why) })
}

async fn find_within(home: &Home, limit: Duration) -> Result<Option<DaemonFile>, FindError> {
    if let Some(host) = home.host() {
        return Ok(host.find(false).await?);
    }
    // A run may be in a sandbox that has users of its own.
    if !home.is_in_run() {
        state_dir::check(home.path())?;
    }
    // Looking at the daemon's lock could take it from a daemon that is being started.
    let path = home.start_lock();
    let _turn = match FindError::if_there(&path, File::open(&path))? {
        Some(file) => Some(locked(&path, file, Hold::Shared, TURN_LIMIT).await?),
        None => None,
    };
    settled(home, limit).await
}

async fn connect_or_start_within(
    home: &Home,
    program: &Path,
    limit: Duration,
) -> Result<DaemonFile, FindError> {
    if let Some(host) = home.host() {
        let why = || FindError::NotReady { why: "ended again".to_owned(), log: String::new() };
        return host.find(true).await?.ok_or_else(why);
    }
    if let Some(file) = find_within(home, limit).await? {
        return Ok(file);
    }
    if home.is_in_run() {
        return Err(FindError::InRun);
    }
    home.make()?;
    let path = home.start_lock();
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path);
    let file = file.map_err(FindError::io(&path))?;
    let _turn = locked(&path, file, Hold::Alone, TURN_LIMIT).await?;
    if let Some(file) = settled(home, limit).await? {
        return Ok(file);
    }
    let began = Instant::now();
    let started = start(home, program, limit).await;
    // A failed start may have met a daemon that was started by hand in the meantime.
    match (settled(home, limit.saturating_sub(began.elapsed())).await, started) {
        (Ok(Some(file)), _) => Ok(file),
        (_, Err(error)) | (Err(error), Ok(())) => Err(error),
        (Ok(None), Ok(())) => {
            let why = "started and ended again".to_owned();
            Err(FindError::NotReady { why, log: String::new() })
        }
    }
}

/// The daemon that runs once no start is in progress. A daemon that another process started cannot
/// tell us that it is ready, and a start usually takes a few milliseconds. So only this function
/// polls, with growing pauses.
async fn settled(home: &Home, limit: Duration) -> Result<Option<DaemonFile>, FindError> {
    let deadline = Instant::now() + limit;
    let mut pause = Duration::from_millis(5);
    loop {
        if !is_held(&home.daemon_lock())? {
            return Ok(None);
        }
        let is_here = |file: &DaemonFile| home.is_in_run() || is_alive(file.pid);
        if let Some(file) = home.read()?.filter(is_here) {
            return Ok(Some(file));
        }
        if Instant::now() >= deadline {
            return Err(stuck(home.daemon_lock(), limit));
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(500));
    }
}

/// Whether there is such a process. A run may be in a sandbox that has process numbers of its own,
/// and is not asked: its daemon is alive, or it would not be.
fn is_alive(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

#[cfg(test)]
#[path = "tests/find.rs"]
mod tests;
