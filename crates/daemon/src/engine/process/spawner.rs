//! One process: how it is started, how it is listened to, how its whole tree is ended.

use std::{
    collections::{BTreeMap, HashSet},
    io,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use agent_worker_process::{self as process, Process, Signal};
use agent_worker_protocol::WorkerConfig;
use tokio::{
    io::{AsyncReadExt, BufReader},
    process::{Child, ChildStdout, Command},
    sync::oneshot,
    task::JoinHandle,
};

use crate::{
    engine::{
        orphans::SETUP,
        process::{
            foreign::Foreign,
            pipes::{lifeline, tail},
        },
    },
    fail_points::reach,
    lock::lock,
};

/// What a process is started with beside its configuration.
#[derive(Clone, Default)]
pub struct Launchpad {
    /// What is in its environment, beside what every worker gets
    pub env: BTreeMap<String, String>,
    /// The search path for programs, in place of the daemon's
    pub path_env: Option<String>,
    /// The home folder, in place of the daemon's
    pub home: Option<String>,
}

/// A worker at work.
#[derive(Debug)]
pub struct Worker {
    pub process: Process,
    child: Child,
    /// Kept as long as the worker is wanted
    _lifeline: oneshot::Sender<()>,
    stderr: Option<JoinHandle<String>>,
    spawner: Spawner,
}

/// What a worker prints: report lines.
pub type Reports = BufReader<ChildStdout>;

/// Starts processes, all from one thread that lives as long as the daemon: a worker dies with the
/// thread that started it.
#[derive(Debug, Clone)]
pub struct Spawner {
    requests: mpsc::Sender<Request>,
    /// Processes that are watched: what else comes home to the daemon was left by one of them
    watched: Arc<Mutex<HashSet<i32>>>,
    /// Processes below the daemon that it did not start
    foreign: Arc<Mutex<Foreign>>,
    /// The database's epoch, which setup steps are marked with
    epoch: Arc<str>,
}

/// How long a run waits for the end of what was killed. Only what hangs in the kernel takes so
/// long, and no other run shall wait for that.
const STUBBORN: Duration = Duration::from_secs(5);

type Request = (Command, oneshot::Sender<io::Result<Child>>);

impl Spawner {
    /// Starts the thread. It must be called inside the runtime, before the first child is started.
    pub fn start(epoch: &str) -> io::Result<Self> {
        let (requests, queue) = mpsc::channel::<Request>();
        let watched = Arc::new(Mutex::new(HashSet::new()));
        let foreign = Arc::new(Mutex::new(Foreign::default()));
        let (runtime, known) = (tokio::runtime::Handle::current(), watched.clone());
        let spared = foreign.clone();
        std::thread::Builder::new().name("spawner".to_owned()).spawn(move || {
            let _inside = runtime.enter();
            for (mut command, reply) in queue {
                lock(&spared).note_start();
                // Held until the pid is known, so that the child is not taken for an orphan. The
                // child enters its folder itself, later: that folder may be on a disk that hangs.
                let mut watched = lock(&known);
                let child = command.spawn();
                if let Some(pid) = child.as_ref().ok().and_then(Child::id) {
                    watched.extend(i32::try_from(pid));
                }
                drop(watched);
                drop(reply.send(child));
            }
        })?;
        Ok(Self { requests, watched, foreign, epoch: epoch.into() })
    }

    /// Starts a worker. Its configuration is handed over as it takes it.
    pub async fn spawn(
        &self,
        config: &WorkerConfig,
        pad: &Launchpad,
    ) -> io::Result<(Worker, Reports)> {
        let mut line = serde_json::to_vec(config).map_err(io::Error::other)?;
        line.push(b'\n');
        let (reply, answer) = oneshot::channel();
        let gone = || io::Error::other("the spawner's thread is gone");
        let mut command = command(pad);
        if matches!(config, WorkerConfig::Step(_)) {
            command.env(SETUP, &*self.epoch);
        }
        self.requests.send((command, reply)).map_err(|_| gone())?;
        let mut child = answer.await.map_err(|_| gone())??;
        let pid = child.id().and_then(|pid| i32::try_from(pid).ok()).ok_or_else(gone)?;
        let process = Process::of(pid).unwrap_or(Process { pid, started: 0 });
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let stderr = child.stderr.take().map(|stderr| tokio::spawn(tail(stderr)));
        let reports = BufReader::with_capacity(16 * 1024, stdout.ok_or_else(gone)?);
        reach("spawn.started");
        let lifeline = lifeline(stdin.ok_or_else(gone)?, line);
        let spawner = self.clone();
        Ok((Worker { process, child, _lifeline: lifeline, stderr, spawner }, reports))
    }

    /// Ends orphans of workers: unwatched children of the daemon, and their descendants. Spares
    /// what the daemon did not start. A worker that ends normally leaves none.
    pub async fn end_leftovers(&self) {
        let (watched, foreign) = (self.watched.clone(), self.foreign.clone());
        let ended = tokio::task::spawn_blocking(move || {
            lock(&foreign).look();
            let is_watched = |child: Process| lock(&watched).contains(&child.pid);
            let is_spared = |child| is_watched(child) || lock(&foreign).spares(child);
            process::end_strays(&is_spared, STUBBORN)
        });
        if !ended.await.unwrap_or(false) {
            tracing::warn!("something that a worker left behind cannot be ended");
        }
    }
}

/// The daemon's own program, even if its file was replaced since.
fn program() -> PathBuf {
    let itself = Path::new("/proc/self/exe");
    if itself.exists() {
        return itself.to_owned();
    }
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("agent-worker"))
}

fn command(pad: &Launchpad) -> Command {
    let mut command = std::process::Command::new(program());
    std::os::unix::process::CommandExt::arg0(&mut command, "agent-worker");
    command.arg("worker").env_clear();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.envs(std::env::vars_os().filter(|(name, _)| process::is_inherited(name)));
    command.envs(pad.path_env.as_ref().map(|path| ("PATH", path)));
    command.envs(pad.home.as_ref().map(|home| ("HOME", home)));
    command.envs(&pad.env);
    command.into()
}

impl Worker {
    /// Waits until the process has ended. What it left behind may still be there.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await;
        process::end_group(self.process);
        status
    }

    /// Ends the whole tree while its output is read on, so that a worker that is busy printing
    /// can hear the signal.
    pub async fn put_down(
        &mut self,
        reports: &mut Reports,
        grace: Duration,
    ) -> io::Result<ExitStatus> {
        tokio::select! {
            status = self.end(grace) => status,
            never = drain(reports) => match never {},
        }
    }

    /// Ends the whole tree: TERM to the worker, which ends what is below it; when its time is
    /// over, KILL to everything below it until nothing is left, and to the worker last.
    pub async fn end(&mut self, grace: Duration) -> io::Result<ExitStatus> {
        self.process.signal(Signal::TERM);
        if let Ok(status) = tokio::time::timeout(grace, self.wait()).await {
            return status;
        }
        let process = self.process;
        // A process that keeps starting others would never be done. The child's handle notices its
        // own end.
        process.signal(Signal::STOP);
        let below = move || process::end_descendants(process, Duration::ZERO);
        drop(tokio::task::spawn_blocking(below).await);
        self.child.start_kill()?;
        self.wait().await
    }

    /// The last lines of its standard error, once it has ended. Does not wait for other processes
    /// that hold it open.
    pub async fn last_words(&mut self) -> Option<String> {
        const PATIENCE: Duration = Duration::from_millis(500);
        let stderr = self.stderr.take()?;
        let abort = stderr.abort_handle();
        let text = tokio::time::timeout(PATIENCE, stderr).await;
        abort.abort();
        text.ok()?.ok().filter(|text| !text.trim().is_empty())
    }
}

/// Reads and forgets, for as long as it is polled.
pub async fn drain(reports: &mut Reports) -> std::convert::Infallible {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(1..) = reports.read(&mut buffer).await {}
    std::future::pending().await
}

impl Drop for Worker {
    fn drop(&mut self) {
        lock(&self.spawner.watched).remove(&self.process.pid);
    }
}
