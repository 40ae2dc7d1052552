//! The daemon that is soaked: killed and started again.

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use agent_worker_client::{Client, Endpoint, Feed, FeedFilter};
use agent_worker_protocol::{Cursor, DaemonFile};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_agent-worker");

/// Delays are short, limits of what a team may do are far.
const CONFIG: &str = "[runs]\nmax_runs = 8\nattempts = 20\ntimeout_attempts = 20\n\
    retry_delay = \"50ms\"\nretry_factor = 1\nheartbeat = \"500ms\"\nheartbeat_lost = \"10s\"\n\
    idle = \"3s\"\nkill_grace = \"1s\"\ncrash_loop_runs = 1000000\nlost_limit = 1000000\n\
    starts_after_restart = 50\n[inbox]\nmessages = 3\n\
    [guard]\nruns = 1000000\npair_window = \"1ms\"\nrepeats = 1000000\n";

/// A state directory with a daemon that comes back.
pub struct Daemon {
    folder: tempfile::TempDir,
    child: Mutex<Option<Child>>,
    place: watch::Sender<Option<Endpoint>>,
}

impl Daemon {
    /// Starts it for the first time.
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["home", "work"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        std::fs::write(folder.path().join("home/config.toml"), CONFIG).expect("it can be written");
        let daemon = Self { folder, child: Mutex::default(), place: watch::channel(None).0 };
        daemon.come_back();
        daemon
    }

    /// The state directory.
    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Where agents work.
    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// A command of the program in this state directory.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(args).env("AGENT_WORKER_HOME", self.home()).stdin(Stdio::null());
        command
    }

    fn come_back(&self) {
        let mut daemon = self.command(&["daemon"]);
        let mut daemon = daemon.stdout(Stdio::piped()).spawn().expect("the daemon starts");
        let mut line = String::new();
        let stdout = daemon.stdout.take().expect("it is piped");
        BufReader::new(stdout).read_line(&mut line).expect("it says that it is ready");
        assert!(line.starts_with("ready"), "{line}");
        *self.child() = Some(daemon);
        let text = std::fs::read_to_string(self.home().join("daemon.json")).expect("it is there");
        let file: DaemonFile = serde_json::from_str(&text).expect("it is whole");
        self.place.send_replace(Some(Endpoint::from(&file)));
    }

    fn child(&self) -> std::sync::MutexGuard<'_, Option<Child>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its number, while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.child().as_ref().map(Child::id)
    }

    /// Ends it at once, as a crash would.
    fn kill(&self) {
        self.place.send_replace(None);
        if let Some(mut child) = self.child().take() {
            drop(child.kill());
            drop(child.wait());
        }
    }

    /// Ends it as it should be ended. Says whether it did so well.
    pub fn stop(&self) -> bool {
        self.place.send_replace(None);
        let Some(mut child) = self.child().take() else { return false };
        drop(Command::new("kill").arg(child.id().to_string()).status());
        child.wait().is_ok_and(|status| status.success())
    }

    /// Where it is, as soon as it is there.
    pub async fn endpoint(&self) -> Endpoint {
        let mut place = self.place.subscribe();
        let found = place.wait_for(Option::is_some).await.expect("it is kept");
        found.clone().expect("it is there")
    }

    /// A client of the daemon that runs, or comes back.
    pub async fn client(&self) -> Client {
        Client::new(self.endpoint().await)
    }

    /// A feed that follows the daemon wherever it goes.
    pub async fn feed(&self, after: Option<Cursor>) -> Feed {
        let client = self.client().await;
        let place = self.place.subscribe();
        Feed::follow(&client, FeedFilter::default(), after).relocate(move || {
            let mut place = place.clone();
            async move {
                let found = place.wait_for(Option::is_some).await;
                match found.ok().and_then(|found| found.clone()) {
                    Some(endpoint) => Ok(endpoint),
                    // The soak is over.
                    None => std::future::pending().await,
                }
            }
        })
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Kills the daemon again and again, each time a little later or earlier, and starts it again. Says
/// how often.
pub async fn kill_now_and_then(
    daemon: std::sync::Arc<Daemon>,
    every: Duration,
    over: CancellationToken,
) -> usize {
    if every.is_zero() {
        over.cancelled().await;
        return 0;
    }
    for kills in 0_u32.. {
        let luck = f64::from((kills * 7 + 3) % 11) / 10.0;
        let pause = every.mul_f64(0.5 + luck);
        tokio::select! {
            () = over.cancelled() => return kills as usize,
            () = tokio::time::sleep(pause) => {}
        }
        let daemon = daemon.clone();
        let again = tokio::task::spawn_blocking(move || {
            daemon.kill();
            daemon.come_back();
        });
        again.await.expect("the daemon comes back");
    }
    unreachable!("it goes on until it is over")
}
