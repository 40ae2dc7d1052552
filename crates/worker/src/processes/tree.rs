//! The processes below the worker: how they are started, and how they end with it.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
    process::{ExitStatus, exit},
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use agent_worker_process::{Process, adopt_orphans, end_descendants};
use agent_worker_protocol::{Variable, WorkerConfig};
use rustix::process::{Pid, getppid};
use tokio::process::{Child, Command};

/// How long what a worker leaves behind has to end when it is told to.
pub const GRACE: Duration = Duration::from_secs(1);

/// What this process has started.
#[derive(Default)]
struct Started {
    /// Whether nothing more is started, because all that runs is being ended
    is_closed: bool,
    /// Those whose end is waited for where they were started
    awaited: HashSet<u32>,
    /// Variables of this process that it keeps to itself
    kept_back: Vec<String>,
    /// Time between TERM and KILL when the worker is told to end, if longer than usual
    grace: Option<Duration>,
}

static STARTED: LazyLock<Mutex<Started>> = LazyLock::new(Mutex::default);

/// Folders that are removed when all has ended.
static SCRATCH: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The daemon, as the process that started this one.
static PARENT: LazyLock<Option<Pid>> = LazyLock::new(getppid);

fn started() -> MutexGuard<'static, Started> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes all that will run below this process its own, whatever leaves its parents and sessions,
/// and asks for TERM when the daemon dies. Comes before all else.
pub fn adopt() {
    LazyLock::force(&PARENT);
    // A kernel that has neither this nor the signal still has the end of standard input.
    let _ = adopt_orphans();
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, set_parent_process_death_signal};
        let _ = set_parent_process_death_signal(Some(Signal::TERM));
    }
}

/// Whether the process that started this one is gone.
pub fn has_lost_its_daemon() -> bool {
    *PARENT != getppid()
}

/// Lets the system's lists of processes tell one worker from another.
pub fn name(config: &WorkerConfig) {
    #[cfg(target_os = "linux")]
    {
        let what = match config {
            WorkerConfig::Run(config) => config.agent.as_str(),
            WorkerConfig::Preview(config) => config.run.agent.as_str(),
            WorkerConfig::Step(_) => "setup",
        };
        let name = std::ffi::CString::new(format!("aw:{what}"));
        let _ = name.map(|name| rustix::thread::set_name(&name));
    }
    #[cfg(not(target_os = "linux"))]
    let _ = config;
}

/// A program that was started, whose end is waited for.
pub struct Spawned(pub Child);

impl Spawned {
    /// The process; `None` once its end was noticed.
    pub fn process(&self) -> Option<Process> {
        Process::of(i32::try_from(self.0.id()?).ok()?)
    }

    /// Waits for its end.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        let pid = self.0.id();
        let status = self.0.wait().await;
        forget(pid);
        status
    }
}

impl Drop for Spawned {
    fn drop(&mut self) {
        forget(self.0.id());
    }
}

/// Gives nothing that is started from here on these variables of its own environment.
pub fn keep_back(variables: &[Variable]) {
    started().kept_back.extend(variables.iter().map(ToString::to_string));
}

/// Creates a folder that only this user can read. It is removed when all has ended.
pub fn make_scratch(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let mut scratch = SCRATCH.lock().unwrap_or_else(PoisonError::into_inner);
    scratch.push(folder.to_owned());
    builder.create(folder)
}

/// Sets the time between TERM and KILL for when the worker is told to end.
pub fn set_grace(grace: Duration) {
    started().grace = Some(grace);
}

/// Returns the time between TERM and KILL that was set, or else the usual one.
pub fn grace() -> Duration {
    started().grace.unwrap_or(GRACE)
}

fn forget(pid: Option<u32>) {
    if let Some(pid) = pid {
        started().awaited.remove(&pid);
    }
}

/// Starts a program, unless all is about to end.
pub fn spawn(command: &mut Command) -> io::Result<Spawned> {
    let mut started = started();
    if started.is_closed {
        return Err(io::Error::other("the worker is about to end"));
    }
    // What a program sends to its own group, `kill 0` for one, is not meant for the worker. Where
    // the group is all that can be ended, it stays in the worker's.
    #[cfg(target_os = "linux")]
    command.process_group(0);
    for variable in &started.kept_back {
        // A variable that the command was given on purpose stays.
        let is_given = command.as_std().get_envs().any(|(name, _)| name == variable.as_str());
        if !is_given {
            command.env_remove(variable);
        }
    }
    let child = command.spawn()?;
    started.awaited.extend(child.id());
    Ok(Spawned(child))
}

/// Takes note of the ends of those that lost their parents and came home to this process: no one
/// else does, and each keeps a place in the system's table until then.
pub fn reap_orphans() {
    let started = started();
    for ended in Process::current().ended_children() {
        if !started.awaited.contains(&ended.pid.cast_unsigned()) {
            ended.reap();
        }
    }
}

/// Ends all that runs below this process, and lets nothing more be started.
pub fn end(grace: Duration) {
    // A caller starts a process before this, or sees it: nothing is started after the
    // last look. The lock is not kept, so that one who is in more of a hurry can overtake.
    started().is_closed = true;
    end_descendants(Process::current(), grace);
    remove_all(&SCRATCH, fs::remove_dir_all);
}

/// Removes folders. The lock is kept: the caller that is late waits for the removal, which its exit
/// would cut short.
fn remove_all(folders: &Mutex<Vec<PathBuf>>, remove: impl Fn(PathBuf) -> io::Result<()>) {
    let mut folders = folders.lock().unwrap_or_else(PoisonError::into_inner);
    for folder in folders.drain(..) {
        // Where this fails, a daemon that still lives tries again.
        let _ = remove(folder);
    }
}

/// Does not return once all is being ended: what goes on then has lost its footing, and has nothing
/// to say any more.
pub fn halt_if_closed() {
    if started().is_closed {
        loop {
            std::thread::park();
        }
    }
}

/// Ends all that runs below this process, and then the process.
pub fn end_and_exit(grace: Duration, code: i32) -> ! {
    end(grace);
    exit(code)
}

#[cfg(test)]
#[path = "tests/tree.rs"]
mod tests;
