//! Where the daemon is, and how there comes to be one.
//!
//! Who is the daemon is decided by an exclusive lock on `daemon.lock`, held for its life;
//! `daemon.json` only says where it is. So a `daemon.json` is believed only while that lock is
//! held, and, since a daemon that is still recovering holds it too, only if the process that it
//! names is alive: else it is of an earlier daemon, and the port may be a stranger's.
//!
//! What this asks of the daemon:
//! - It takes `daemon.lock` first of all, and then removes a `daemon.json` that it finds.
//! - To look whether the lock is held is to hold it for a moment, shared. A daemon that does not
//!   get the lock at once tries again for a little while before it says that there is another.
//! - It writes `daemon.json` by rename, then prints `ready http://…` as its first line. Afterwards
//!   nobody reads its output.

mod home;
mod lock;
mod start;
#[cfg(test)]
#[path = "tests/find.rs"]
mod tests;
mod version;

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use agent_worker_protocol::{
    daemon::DaemonFile,
    state_dir::{self, Unusable},
};
use futures::future::BoxFuture;
use rustix::process::{Pid, test_kill_process};
use tokio::time::Instant;

pub use home::{AGENT_VARIABLE, HOME_VARIABLE, Home, TOKEN_VARIABLE};
pub use version::{BadVersion, Outdated, Version};

use crate::{ClientError, Endpoint};
use lock::{Hold, is_held, locked};
use start::start;

/// How long a daemon may take until it is ready.
const READY_LIMIT: Duration = Duration::from_secs(20);

/// How long one waits for another who starts a daemon: until that one must have given up.
const TURN_LIMIT: Duration = Duration::from_secs(45);

/// Why no daemon was found.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// There is no state directory to look in.
    #[error("no state directory: neither {HOME_VARIABLE} nor HOME is set")]
    NoHome,
    /// The state directory may not be used.
    #[error(transparent)]
    Unusable(#[from] Unusable),
    /// The system does not let us.
    #[error("cannot use {}", path.display())]
    Io {
        /// What was to be used
        path: PathBuf,
        /// What the system said
        source: io::Error,
    },
    /// The daemon says where it is in words of another version.
    #[error("{} makes no sense: {detail}", path.display())]
    Garbled {
        /// What was read
        path: PathBuf,
        /// What is wrong with it
        detail: String,
    },
    /// Somebody is at it and does not come to an end.
    #[error("{} has been held for {waited:?}{}, and there is no daemon yet", lock.display(), by(*holder))]
    Stuck {
        /// What is held
        lock: PathBuf,
        /// The process that holds it, where the system tells
        holder: Option<u32>,
        /// How long it was waited for
        waited: Duration,
    },
    /// The daemon was started and did not become ready.
    #[error("the daemon {why}{}{log}", if log.is_empty() { "" } else { "\n" })]
    NotReady {
        /// What it did
        why: String,
        /// What it wrote to its log
        log: String,
    },
    /// A run's own programs start no daemon: it would be a child of the run.
    #[error(
        "no daemon runs, and a program that an agent started cannot start one \
         ({TOKEN_VARIABLE} is set)"
    )]
    InRun,
}

impl FindError {
    /// What to do, where there is something to do.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoHome => "set AGENT_WORKER_HOME to a directory",
            Self::Unusable(unusable) => return Some(unusable.hint()),
            // Nobody knows its number here, and so no command can end it.
            Self::Garbled { .. } => {
                "a daemon runs: end its process, whose pid `agent-worker daemon logs` shows, and \
                 ask again"
            }
            Self::Stuck { holder: Some(pid), .. } => {
                return Some(format!(
                    "see what it does with `agent-worker daemon logs`; `kill -9 {pid}` ends it"
                ));
            }
            Self::Stuck { .. } | Self::NotReady { .. } => {
                "see what it did with `agent-worker daemon logs`"
            }
            Self::InRun => return Some(format!("unset {TOKEN_VARIABLE}, if you are not an agent")),
            Self::Io { .. } => return None,
        };
        Some(hint.to_owned())
    }

    pub(crate) fn stuck(lock: PathBuf, waited: Duration) -> Self {
        let holder = lock::holder(&lock);
        Self::Stuck { lock, holder, waited }
    }

    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}

fn by(holder: Option<u32>) -> String {
    holder.map_or_else(String::new, |pid| format!(" by process {pid}"))
}

enum Sight {
    Nobody,
    Starting,
    Here(DaemonFile),
}

/// The daemon, if there is one. Waits for one that is starting; starts none.
pub async fn find(home: &Home) -> Result<Option<DaemonFile>, FindError> {
    find_within(home, READY_LIMIT).await
}

/// The daemon; started if there is none. However many ask at once, one is started.
pub async fn connect_or_start(home: &Home, program: &Path) -> Result<DaemonFile, FindError> {
    connect_or_start_within(home, program, READY_LIMIT).await
}

/// Waits until no daemon runs; false if one still does after this time.
pub async fn wait_until_gone(home: &Home, limit: Duration) -> Result<bool, FindError> {
    let path = home.daemon_lock();
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(FindError::io(&path)(error)),
    };
    match locked(&path, file, Hold::Shared, limit).await {
        Ok(_) => Ok(true),
        Err(FindError::Stuck { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// What [`crate::Feed::relocate`] takes, for a command that goes on over restarts: the daemon is
/// looked for, and started if there is none and a program is given.
pub fn relocation(
    home: Home,
    program: Option<PathBuf>,
) -> impl FnMut() -> BoxFuture<'static, Result<Endpoint, ClientError>> + Send + 'static {
    move || {
        let (home, program) = (home.clone(), program.clone());
        Box::pin(async move {
            let found = match &program {
                Some(program) => connect_or_start(&home, program).await.map(Some),
                None => find(&home).await,
            };
            let source = match found {
                Ok(Some(file)) => return Ok(home.endpoint(&file)),
                Ok(None) => io::Error::new(io::ErrorKind::NotFound, "no daemon runs"),
                Err(error) => io::Error::other(error),
            };
            Err(ClientError::Unreachable { base: home.path().display().to_string(), source })
        })
    }
}

async fn find_within(home: &Home, limit: Duration) -> Result<Option<DaemonFile>, FindError> {
    // A run may be in a sandbox that has users of its own.
    if !home.is_in_run() {
        state_dir::check(home.path())?;
    }
    // Looking at the daemon's lock could take it from a daemon that is being started.
    let path = home.start_lock();
    let _turn = match File::open(&path) {
        Ok(file) => Some(locked(&path, file, Hold::Shared, TURN_LIMIT).await?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(FindError::io(&path)(error)),
    };
    settled(home, limit).await
}

async fn connect_or_start_within(
    home: &Home,
    program: &Path,
    limit: Duration,
) -> Result<DaemonFile, FindError> {
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
    // One that failed may have met a daemon that somebody started by hand in the meantime.
    match (settled(home, limit.saturating_sub(began.elapsed())).await, started) {
        (Ok(Some(file)), _) => Ok(file),
        (_, Err(error)) | (Err(error), Ok(())) => Err(error),
        (Ok(None), Ok(())) => {
            let why = "said that it was ready and is gone".to_owned();
            Err(FindError::NotReady { why, log: String::new() })
        }
    }
}

/// What there is once nothing is on its way. A daemon that somebody else started has no way to
/// tell us that it is ready, and this lasts some milliseconds at most on a usual start: so this,
/// and only this, looks again after a while, and after a longer one.
async fn settled(home: &Home, limit: Duration) -> Result<Option<DaemonFile>, FindError> {
    let deadline = Instant::now() + limit;
    let mut pause = Duration::from_millis(5);
    loop {
        match look(home)? {
            Sight::Nobody => return Ok(None),
            Sight::Here(file) => return Ok(Some(file)),
            Sight::Starting if Instant::now() >= deadline => {
                return Err(FindError::stuck(home.daemon_lock(), limit));
            }
            Sight::Starting => {}
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(500));
    }
}

fn look(home: &Home) -> Result<Sight, FindError> {
    if !is_held(&home.daemon_lock())? {
        return Ok(Sight::Nobody);
    }
    Ok(match home.read()? {
        Some(file) if home.is_in_run() || is_alive(file.pid) => Sight::Here(file),
        Some(_) | None => Sight::Starting,
    })
}

/// Whether there is such a process. A run may be in a sandbox that has process numbers of its own,
/// and is not asked: its daemon is alive, or it would not be.
fn is_alive(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}
