//! A state directory with a daemon, for as long as it is held.

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use agent_worker_client::{Client, Endpoint};
use agent_worker_protocol::DaemonFile;

/// The program that is measured.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_agent-worker");

/// A daemon of its own.
pub struct Home {
    folder: tempfile::TempDir,
    daemon: Option<Child>,
}

impl Home {
    /// A state directory without a daemon.
    pub fn empty(config: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("config.toml"), config).expect("it can be written");
        Self { folder, daemon: None }
    }

    /// A daemon that can be reached.
    pub fn start(config: &str) -> Self {
        let mut home = Self::empty(config);
        home.begin();
        home
    }

    /// Starts its daemon, and waits until it can be reached.
    pub fn begin(&mut self) {
        let mut daemon = self.command("daemon");
        let mut daemon = daemon.stdout(Stdio::piped()).spawn().expect("the daemon starts");
        let mut line = String::new();
        let stdout = daemon.stdout.take().expect("it is piped");
        BufReader::new(stdout).read_line(&mut line).expect("it says that it is ready");
        assert!(line.starts_with("ready"), "{line}");
        self.daemon = Some(daemon);
    }

    /// Kills its daemon.
    pub fn kill(&mut self) {
        if let Some(mut daemon) = self.daemon.take() {
            daemon.kill().expect("it is there");
            daemon.wait().expect("it ends");
        }
    }

    /// A command of the program in this state directory.
    pub fn command(&self, name: &str) -> Command {
        let mut command = Command::new(PROGRAM);
        command.arg(name).env("AGENT_WORKER_HOME", self.folder.path()).stdin(Stdio::null());
        command
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    pub fn file(&self) -> DaemonFile {
        let text = std::fs::read_to_string(self.folder.path().join("daemon.json"));
        serde_json::from_str(&text.expect("a daemon runs")).expect("it is whole")
    }

    /// How many transactions its database has seen.
    pub fn commits(&self) -> i64 {
        let path = self.folder.path().join("agent-worker.db");
        let conn = rusqlite::Connection::open(path).expect("it opens");
        let sql = "SELECT CAST(value AS INTEGER) FROM daemon_state WHERE key = 'commits'";
        conn.query_row(sql, [], |row| row.get(0)).expect("they are counted")
    }

    /// How many bytes its daemon has written to files.
    pub fn written(&self) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/io", self.file().pid));
        let text = text.expect("Linux tells it");
        let line = text.lines().find_map(|line| line.strip_prefix("write_bytes: "));
        line.and_then(|bytes| bytes.parse().ok()).expect("it is told")
    }

    pub fn client(&self) -> Client {
        Client::new(Endpoint::from(&self.file()))
    }

    /// Anonymous memory of a process, in KiB.
    pub fn anonymous(pid: u32) -> u64 {
        kibibytes(pid, "smaps_rollup", "Anonymous:")
    }

    /// The most memory that a process has ever had, in bytes.
    pub fn peak(pid: u32) -> u64 {
        kibibytes(pid, "status", "VmHWM:") << 10
    }
}

fn kibibytes(pid: u32, file: &str, name: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

impl Drop for Home {
    fn drop(&mut self) {
        if let Some(daemon) = &mut self.daemon {
            drop(Command::new("kill").arg(daemon.id().to_string()).status());
            drop(daemon.wait());
        }
    }
}
