//! A state directory of a test's own, its daemon, and commands run in it.

use std::{
    fs::DirBuilder,
    io::{BufRead, BufReader, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    sync::mpsc,
    time::Instant,
};

use agent_worker_client::{Client, Endpoint};
use agent_worker_daemon::examine_idle;
use agent_worker_protocol::DaemonFile;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open},
};

use super::{DEADLINE, Ledger, Members, block_on, wait_until};

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_agent-worker");

/// A state directory that is gone at the end of its test, with every process of it. What the test
/// leaves there must be sound, unless it says that it has damaged it.
pub struct Home {
    folder: tempfile::TempDir,
    env: Vec<(String, String)>,
    is_damaged: AtomicBool,
}

/// A command that has ended.
#[must_use = "look at the exit code or the output"]
#[derive(Debug)]
pub struct Finished {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// A process of the program that a test started and watches.
pub struct Running {
    child: Child,
}

impl Home {
    pub fn new() -> Self {
        Self::with_config("")
    }

    /// A home whose daemon has this configuration, so that a test need not wait for a default.
    pub fn with_config(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        DirBuilder::new().mode(0o700).create(folder.path().join("home")).unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        if !text.is_empty() {
            std::fs::write(folder.path().join("home/config.toml"), text).unwrap();
        }
        Self { folder, env: Vec::new(), is_damaged: AtomicBool::new(false) }
    }

    /// Sets a variable for every process that is started from here on.
    pub fn set(&mut self, name: &str, value: &str) {
        self.env.push((name.to_owned(), value.to_owned()));
    }

    /// The state directory.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// The folder in which commands run.
    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Writes a file into the folder in which commands run.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.work().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A command of the program, with nothing of this process's environment but the search path.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(args).env_clear().current_dir(self.work()).stdin(Stdio::null());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.folder.path()).env("TMPDIR", self.folder.path());
        command.env("AGENT_WORKER_HOME", self.path()).env("LANG", "C.UTF-8");
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs a command to its end.
    pub fn run(&self, args: &[&str]) -> Finished {
        self.run_with(args, "")
    }

    /// Runs a command to its end, with something on its standard input.
    pub fn run_with(&self, args: &[&str], input: &str) -> Finished {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let running = Running { child };
        running.finish()
    }

    /// Runs a command that must succeed, and gives what it printed.
    pub fn ok(&self, args: &[&str]) -> String {
        let finished = self.run(args);
        assert_eq!(finished.code, Some(0), "{args:?}: {finished:?}");
        finished.stdout
    }

    /// Runs a command that must succeed with `--json`.
    pub fn json(&self, args: &[&str]) -> serde_json::Value {
        let args: Vec<_> = args.iter().copied().chain(["--json"]).collect();
        let text = self.ok(&args);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{args:?}: {error}: {text}"))
    }

    /// Starts a command and does not wait for it.
    pub fn start(&self, args: &[&str]) -> Running {
        let mut command = self.command(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Running { child: command.spawn().expect("the program starts") }
    }

    /// Starts the daemon in the foreground and waits until it can be reached.
    pub fn daemon(&self) -> Running {
        Self::ready(self.command(&["daemon"]))
    }

    /// Starts the daemon with what fails in it, as `FAILPOINTS` has it, and does not wait.
    pub fn failing_daemon(&self, points: &str) -> Running {
        let mut command = self.command(&["daemon"]);
        command.env("FAILPOINTS", points).stdout(Stdio::piped()).stderr(Stdio::inherit());
        Running { child: command.spawn().expect("the program starts") }
    }

    /// Starts a command that is the daemon, and waits until it can be reached.
    pub fn ready(mut command: Command) -> Running {
        command.stderr(Stdio::inherit());
        Self::ready_at(command).0
    }

    /// Starts a command that is a server, and gives where it is reached.
    pub fn ready_at(mut command: Command) -> (Running, String) {
        command.stdout(Stdio::piped());
        let mut running = Running { child: command.spawn().expect("the program starts") };
        let line = running.first_line();
        let url = line.trim().strip_prefix("ready ").filter(|url| url.starts_with("http://127."));
        let url = url.unwrap_or_else(|| panic!("{line:?}")).to_owned();
        (running, url)
    }

    /// Where the daemon is.
    pub fn daemon_file(&self) -> Option<DaemonFile> {
        let text = std::fs::read_to_string(self.path().join("daemon.json")).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Has every program that asks for the daemon from here on told this, in place of what the
    /// daemon itself has said.
    pub fn lead_to(&self, file: &DaemonFile) {
        let (path, new) = (self.path().join("daemon.json"), self.path().join("daemon.json.new"));
        let mut open = std::fs::OpenOptions::new();
        let mut text = open.write(true).create_new(true).mode(0o600).open(&new).unwrap();
        text.write_all(&serde_json::to_vec(file).unwrap()).unwrap();
        std::fs::rename(new, path).unwrap();
    }

    /// A client of the daemon that runs.
    pub fn client(&self) -> Client {
        let file = self.daemon_file().expect("a daemon runs");
        Client::new(Endpoint::from(&file))
    }

    /// Asserts that all promises are kept and no work is left. Returns what the daemon has told,
    /// for further checks.
    pub async fn assert_promises_kept(&self) -> Ledger {
        let ledger = Ledger::read(&self.client()).await;
        ledger.assert_all_is_done();
        ledger
    }

    /// Every process that belongs to this home.
    pub fn members(&self) -> Members {
        Members::of(&self.path())
    }

    /// Waits until no process of this home is left.
    pub fn assert_nobody_is_left(&self) {
        let path = self.path();
        wait_until("no process of the home is left", || Members::of(&path).is_empty());
    }

    /// Waits until of all processes of this home the daemon alone is left.
    pub fn assert_only_the_daemon_is_left(&self) {
        let path = self.path();
        let daemon = self.daemon_file().expect("a daemon runs").pid;
        wait_until("the daemon alone is left", || {
            Members::of(&path).pids().all(|pid| pid.as_raw_nonzero().get().unsigned_abs() == daemon)
        });
    }

    /// Asks the doctor, whether a daemon runs or not: nothing may be broken.
    pub fn assert_sound(&self) {
        let finished = self.run(&["doctor"]);
        assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    }

    /// Says that what is left here is not sound, and that the test means it so.
    pub fn is_damaged_on_purpose(&self) {
        self.is_damaged.store(true, Ordering::Relaxed);
    }

    /// An example's folder, copied, so that its setup does not see this repository.
    pub fn example(&self, name: &str) -> PathBuf {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
        let to = self.work().join(name);
        copy(&from, &to);
        to
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let path = self.path();
        for process in Members::of(&path).pids() {
            let _ = kill_process(process, Signal::KILL);
        }
        if std::thread::panicking() || self.is_damaged.load(Ordering::Relaxed) {
            return;
        }
        wait_until("no process of the home is left", || Members::of(&path).is_empty());
        // Without a process of its own: this is done after every test.
        let examined = std::thread::spawn(move || block_on(examine_idle(&path)));
        let examination = examined.join().expect("it does not panic").expect("nobody is there");
        assert!(examination.sound, "the test has left what is not sound: {examination:#?}");
    }
}

impl Running {
    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Its number.
    pub fn number(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("the process is there");
    }

    /// The first line that it prints.
    pub fn first_line(&mut self) -> String {
        let stdout = self.child.stdout.take().expect("its output is read");
        let (sender, line) = mpsc::channel();
        std::thread::spawn(move || read_first(stdout, &sender));
        line.recv_timeout(DEADLINE).expect("it prints a line")
    }

    /// Closes the reading end of what it prints.
    pub fn close_stdout(&mut self) {
        drop(self.child.stdout.take());
    }

    /// Waits for its end and gives what it printed.
    pub fn finish(mut self) -> Finished {
        let stdout = self.child.stdout.take().map(read_all);
        let stderr = self.child.stderr.take().map(read_all);
        let status = self.wait();
        let text = |reader: Option<std::thread::JoinHandle<String>>| {
            reader.map(|reader| reader.join().unwrap()).unwrap_or_default()
        };
        Finished { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
    }

    /// Resolves at its end.
    pub async fn ended(&self) {
        let process = pidfd_open(self.pid(), PidfdFlags::empty()).expect("it is a child");
        let (tell, told) = tokio::sync::oneshot::channel();
        // A thread of its own: a caller may drop this future, and then the thread waits alone.
        std::thread::spawn(move || {
            let ended = poll(&mut [PollFd::new(&process, PollFlags::IN)], None);
            let _ = tell.send(ended);
        });
        told.await.expect("its end is told").expect("its end is told");
    }

    /// Whether it has come to its end.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("it is a child").is_some()
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("it is a child") {
                return status;
            }
            let left = DEADLINE.saturating_sub(begun.elapsed());
            assert!(!left.is_zero(), "not within {DEADLINE:?}: the command ends");
            let process = pidfd_open(self.pid(), PidfdFlags::empty()).expect("it is a child");
            let left = Timespec::try_from(left).expect("minutes");
            // A signal to this process ends it sooner.
            let _ = poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&left));
        }
    }

    /// Ends it at once, as a crash would.
    pub fn kill(mut self) {
        self.child.kill().expect("it is a child");
        self.child.wait().expect("it is a child");
    }

    /// Tells it to end, if it is still there.
    pub fn tell_to_end(&self) {
        let _ = kill_process(self.pid(), Signal::TERM);
    }

    /// Ends it as it should be ended.
    pub fn stop(mut self) {
        self.signal(Signal::TERM);
        let status = self.wait();
        assert!(status.success(), "{status:?}");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn read_first(stdout: ChildStdout, sender: &mpsc::Sender<String>) {
    let mut reader = BufReader::new(stdout);
    let mut line = String::new();
    drop(reader.read_line(&mut line));
    drop(sender.send(line));
    // Read on, so that the process is never held up by a full pipe.
    drop(std::io::copy(&mut reader, &mut std::io::sink()));
}

fn read_all(mut from: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        drop(from.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
