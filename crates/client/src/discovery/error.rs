//! Why no daemon was found.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use agent_worker_protocol::state_dir::Unusable;

use super::variables::{HOME_VARIABLE, TOKEN_VARIABLE};
use crate::{files, remote::RemoteError};

const ANOTHER: &str = "use another directory: `--state-dir DIR`, or the variable AGENT_WORKER_HOME";

/// Why no daemon was found.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    #[error("unknown state directory: neither {HOME_VARIABLE} nor HOME is set")]
    NoHome,
    /// The database could not be opened there.
    #[error("the path of the state directory must be UTF-8: {}", path.display())]
    NotUtf8 { path: PathBuf },
    /// A folder of that name would be another one in each folder where a command runs.
    #[error("`~` in the state directory {} is not your home folder here", path.display())]
    Tilde { path: PathBuf },
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
    #[error("{} is invalid: {detail}", path.display())]
    Garbled {
        path: PathBuf,
        /// Reason
        detail: String,
    },
    /// Another process holds the lock for too long.
    #[error("{} stayed locked for {waited:?}{}: no daemon started", lock.display(), by(*holder))]
    Stuck {
        lock: PathBuf,
        /// Process that holds it, if the system says so
        holder: Option<u32>,
        /// How long it was waited for
        waited: Duration,
    },
    /// The daemon was started and did not become ready.
    #[error("the daemon {why}{}{log}", if log.is_empty() { "" } else { "\n" })]
    NotReady {
        why: String,
        /// Its output in the log
        log: String,
    },
    /// No daemon runs, and none may be started.
    #[error("no daemon is running")]
    NotRunning,
    /// A run's own programs start no daemon: it would be a child of the run.
    #[error(
        "no daemon is running, and a program that an agent started cannot start one \
         ({TOKEN_VARIABLE} is set)"
    )]
    InRun,
    /// The machine with the daemon cannot be used.
    #[error(transparent)]
    Remote(#[from] RemoteError),
}

impl FindError {
    /// Returns a command or an action that helps, if any.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoHome => "set AGENT_WORKER_HOME to a directory",
            Self::NotUtf8 { .. } => ANOTHER,
            Self::Io { source, .. } if is_of_the_place(source.kind()) => ANOTHER,
            Self::Tilde { .. } => "write the whole path",
            Self::Unusable(unusable) => return Some(unusable.hint()),
            // Its process is unknown here, so no command can end it.
            Self::Garbled { .. } => {
                "a daemon runs: end its process, whose pid `agent-worker daemon logs` shows, and \
                 ask again"
            }
            Self::Stuck { holder: Some(pid), .. } => {
                return Some(format!(
                    "see what it does with `agent-worker daemon logs`; `kill -9 {pid}` ends it"
                ));
            }
            // Linux names the process unless it is in another namespace.
            Self::Stuck { holder: None, .. } => {
                "see what it did with `agent-worker daemon logs`; a daemon in another PID \
                 namespace, as of a container, is found only there"
            }
            // What the daemon wrote ends with its own hint.
            Self::NotReady { log, .. } if log.lines().any(|line| line.starts_with("hint: ")) => {
                return None;
            }
            Self::NotReady { .. } => "see what it did with `agent-worker daemon logs`",
            Self::NotRunning => "agent-worker daemon start",
            Self::InRun => return Some(format!("unset {TOKEN_VARIABLE}")),
            Self::Remote(error) => return Some(error.hint().to_owned()),
            Self::Io { .. } => return None,
        };
        Some(hint.to_owned())
    }

    /// What was done with a file, if it is there.
    pub(super) fn if_there<T>(path: &Path, done: io::Result<T>) -> Result<Option<T>, Self> {
        files::if_there(done).map_err(Self::io(path))
    }

    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}

/// Whether another directory may help. In a container the home of the user often is `/`.
fn is_of_the_place(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

fn by(holder: Option<u32>) -> String {
    holder.map_or_else(String::new, |pid| format!(" by process {pid}"))
}
