//! Who is the daemon, and where: a lock held for its life, and a file that says where it is.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

use agent_worker_protocol::{
    DaemonFile,
    state_dir::{self, Unusable},
};

use crate::{fail_points::reach, fault::if_there};

/// Held by the daemon of a state directory. It is free when its process is gone, however it went.
#[derive(Debug)]
pub struct Lock(File);

/// Why this process is not the daemon.
#[derive(Debug, thiserror::Error)]
pub enum NotTheDaemon {
    /// Another process is.
    #[error("a daemon of {home} is already running{place}")]
    Another {
        home: String,
        /// Where it is, if that is known
        place: String,
    },
    /// The state directory may not be used.
    #[error(transparent)]
    Unusable(#[from] Unusable),
    /// The system does not let us use the state directory.
    #[error("{what} {path}")]
    Directory {
        /// What could not be done
        what: &'static str,
        /// With what
        path: String,
        source: io::Error,
    },
}

fn failed(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> NotTheDaemon {
    let path = path.display().to_string();
    move |source| NotTheDaemon::Directory { what, path, source }
}

/// Makes the state directory, for its owner alone.
pub fn make_home(home: &Path) -> Result<(), NotTheDaemon> {
    state_dir::check(home)?;
    let made = DirBuilder::new().recursive(true).mode(0o700).create(home);
    made.map_err(failed("cannot make the state directory", home))
}

impl Lock {
    /// Becomes the daemon of a state directory.
    pub async fn take(home: &Path) -> Result<File, NotTheDaemon> {
        let Self(file) = Self::hold(home).await?;
        forget(home)?;
        Ok(file)
    }

    /// Keeps a state directory from having a daemon, without being one.
    pub async fn hold(home: &Path) -> Result<Self, NotTheDaemon> {
        let lock = Self(acquire(home).await?);
        if has_removed_lock(home) { Err(another(home)) } else { Ok(lock) }
    }

    /// The same for a reader. On a read-only file system a shared lock of the existing file is
    /// enough, and none is needed where that is missing: no daemon can start there.
    pub async fn hold_to_read(home: &Path) -> Result<Option<Self>, NotTheDaemon> {
        match Self::hold(home).await {
            Err(NotTheDaemon::Directory { source, .. })
                if source.kind() == io::ErrorKind::ReadOnlyFilesystem => {}
            held => return held.map(Some),
        }
        let path = lock_path(home);
        let file = if_there(File::open(&path)).map_err(failed("cannot open the lock", &path))?;
        let Some(file) = file else { return Ok(None) };
        Ok(Some(Self(locked(home, file, File::try_lock_shared).await?)))
    }
}

/// The lock that decides who is the daemon.
pub fn lock_path(home: &Path) -> PathBuf {
    home.join("daemon.lock")
}

/// Locks `daemon.lock`. Those who look whether there is a daemon hold it for a moment, so it is
/// tried for a moment.
pub async fn acquire(home: &Path) -> Result<File, NotTheDaemon> {
    let path = lock_path(home);
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(&path);
    let file = file.map_err(failed("cannot open the lock", &path))?;
    locked(home, file, File::try_lock).await
}

async fn locked(
    home: &Path,
    file: File,
    lock: fn(&File) -> Result<(), TryLockError>,
) -> Result<File, NotTheDaemon> {
    const PATIENCE: Duration = Duration::from_secs(1);
    let until = tokio::time::Instant::now() + PATIENCE;
    loop {
        match lock(&file) {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if tokio::time::Instant::now() < until => {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            Err(TryLockError::WouldBlock) => return Err(another(home)),
            Err(TryLockError::Error(error)) => {
                return Err(failed("cannot take the lock", &lock_path(home))(error));
            }
        }
    }
}

/// Whether a daemon is alive whose lock was removed and that could not put it back yet, because it
/// is stopped for one. Only Linux tells.
fn has_removed_lock(home: &Path) -> bool {
    let (Some(file), Ok(home)) = (known(home), home.canonicalize()) else { return false };
    if file.pid == std::process::id() {
        return false;
    }
    let removed = format!("{} (deleted)", lock_path(&home).display());
    let held = fs::read_dir(format!("/proc/{}/fd", file.pid)).into_iter().flatten().flatten();
    held.filter_map(|entry| fs::read_link(entry.path()).ok())
        .any(|target| target.as_os_str() == removed.as_str())
}

fn known(home: &Path) -> Option<DaemonFile> {
    serde_json::from_str(&fs::read_to_string(home.join("daemon.json")).ok()?).ok()
}

/// Removes what an earlier daemon said of itself and could not take back.
fn forget(home: &Path) -> Result<(), NotTheDaemon> {
    let path = home.join("daemon.json");
    if_there(fs::remove_file(&path)).map_err(failed("cannot remove the old", &path))?;
    Ok(())
}

fn another(home: &Path) -> NotTheDaemon {
    let place = known(home).map_or_else(String::new, |file| {
        format!(": process {} at http://{}:{}", file.pid, file.host, file.port)
    });
    NotTheDaemon::Another { home: home.display().to_string(), place }
}

/// Writes `daemon.json` whole, or not at all. It need not survive a power cut: clients believe
/// it only while its daemon holds the lock, and the next daemon removes it.
pub fn publish(home: &Path, file: &DaemonFile) -> io::Result<()> {
    let draft = home.join(format!("daemon.json.{}", file.pid));
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let text = serde_json::to_vec_pretty(file).map_err(io::Error::other)?;
    let written = options.open(&draft).and_then(|mut opened| {
        opened.write_all(&text)?;
        reach("begin.drafted");
        fs::rename(&draft, home.join("daemon.json"))
    });
    if written.is_err() {
        drop(fs::remove_file(&draft));
    }
    written
}
