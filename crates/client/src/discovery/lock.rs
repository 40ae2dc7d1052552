//! Waiting for a lock on a file, without a thread of the runtime and not for ever.

use std::{
    fs::{File, TryLockError},
    io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use tokio::sync::oneshot;

use super::FindError;

/// How a lock is held.
#[derive(Debug, Clone, Copy)]
pub(super) enum Hold {
    Shared,
    Alone,
}

/// The file, locked until it is dropped.
pub(super) async fn locked(
    path: &Path,
    file: File,
    hold: Hold,
    limit: Duration,
) -> Result<File, FindError> {
    let at_once = match hold {
        Hold::Shared => file.try_lock_shared(),
        Hold::Alone => file.try_lock(),
    };
    if at_once.is_ok() {
        return Ok(file);
    }
    let wait = move || wait_for(&file, hold).map(|()| file);
    match tokio::time::timeout(limit, apart(wait)).await {
        Ok(locked) => locked.flatten().map_err(FindError::io(path)),
        Err(_) => Err(stuck(path.to_owned(), limit)),
    }
}

/// Waits on a thread of its own. A runtime waits for its blocking threads when it ends, and a
/// command that gave up must end.
pub(super) async fn apart<T: Send + 'static>(
    wait: impl FnOnce() -> T + Send + 'static,
) -> io::Result<T> {
    let (give, given) = oneshot::channel();
    // If the receiver has gone, a lock is released here.
    let work = move || drop(give.send(wait()));
    thread::Builder::new().name("wait".to_owned()).spawn(work)?;
    given.await.map_err(|_| io::Error::other("its thread ended"))
}

fn wait_for(file: &File, hold: Hold) -> io::Result<()> {
    loop {
        let locked = match hold {
            Hold::Shared => file.lock_shared(),
            Hold::Alone => file.lock(),
        };
        match locked {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            locked => return locked,
        }
    }
}

/// Whether some process holds this lock alone. Looks by holding it, for as short as can be.
pub(super) fn is_held(path: &Path) -> Result<bool, FindError> {
    let Some(file) = FindError::if_there(path, File::open(path))? else { return Ok(false) };
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(FindError::io(path)(error)),
    }
}

/// The process that holds this lock. Only Linux tells, in `/proc/locks`:
/// `1: FLOCK  ADVISORY  WRITE 4711 fe:00:1234 0 EOF`.
fn holder(path: &Path) -> Option<u32> {
    let inode = std::fs::metadata(path).ok()?.ino();
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    let of_line = |line: &str| {
        let fields: Vec<_> = line.split_whitespace().collect();
        let [_, "FLOCK", _, "WRITE", pid, file, ..] = fields[..] else { return None };
        let is_this = file.rsplit(':').next()?.parse() == Ok(inode);
        is_this.then(|| pid.parse().ok())?
    };
    locks.lines().find_map(of_line)
}

/// A lock that was waited for too long.
pub(super) fn stuck(lock: PathBuf, waited: Duration) -> FindError {
    let holder = holder(&lock);
    FindError::Stuck { lock, holder, waited }
}
