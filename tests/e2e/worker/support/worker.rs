//! A worker, as the daemon sees it.

use std::{env, process::Stdio, time::Duration};

use agent_worker_process::{Process, end_descendants};
use agent_worker_protocol::{BlockKind, RunConfig, WorkerConfig, WorkerReport};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

use super::DEADLINE;

/// A worker that runs.
pub struct Worker {
    child: Child,
    /// Who it is.
    pub process: Process,
    /// What holds it; its end is the end of the daemon.
    pub stdin: Option<ChildStdin>,
    /// Where it reports.
    pub stdout: Option<BufReader<ChildStdout>>,
}

/// A worker that has ended.
#[derive(Debug)]
pub struct Ended {
    /// What it reported.
    pub reports: Vec<WorkerReport>,
    /// Its exit code; none if a signal ended it.
    pub code: Option<i32>,
}

impl Worker {
    /// Starts a worker without a configuration.
    pub fn spawn() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_agent-worker"));
        command.arg("worker");
        command.env_clear().env("PATH", env::var_os("PATH").unwrap());
        // A proxy that does not exist: a request through it gets no answer.
        command.env("HTTP_PROXY", "http://127.0.0.1:1").env("http_proxy", "http://127.0.0.1:1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let process = Process::of(i32::try_from(child.id().unwrap()).unwrap()).unwrap();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().map(BufReader::new));
        Self { child, process, stdin, stdout }
    }

    /// Starts a worker with this configuration.
    pub async fn start(config: WorkerConfig) -> Self {
        let mut worker = Self::spawn();
        let mut line = serde_json::to_vec(&config).unwrap();
        line.push(b'\n');
        worker.tell(&line).await;
        worker
    }

    /// Starts one with a run to do.
    pub async fn run(config: RunConfig) -> Self {
        Self::start(WorkerConfig::Run(Box::new(config))).await
    }

    /// Writes to its standard input.
    pub async fn tell(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).await.unwrap();
    }

    /// Its next report.
    pub async fn report(&mut self) -> WorkerReport {
        let mut line = String::new();
        let read = self.stdout.as_mut().unwrap().read_line(&mut line);
        timeout(DEADLINE, read).await.expect("a report in time").unwrap();
        serde_json::from_str(&line).unwrap_or_else(|bad| panic!("{bad}: {line:?}"))
    }

    /// Reads until the answer of a tool, and gives its text.
    pub async fn result(&mut self) -> String {
        let mut block = None;
        loop {
            match self.report().await {
                WorkerReport::Block { n, kind: BlockKind::ToolResult, .. } => block = Some(n),
                WorkerReport::Delta { n, text } if block == Some(n) => return text,
                WorkerReport::Finished { .. } | WorkerReport::Failed { .. } => {
                    panic!("it has ended")
                }
                _ => {}
            }
        }
    }

    /// What it writes until it closes its output, whatever that is.
    pub async fn raw(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let read = self.stdout.as_mut().unwrap().read_to_end(&mut bytes);
        timeout(DEADLINE, read).await.expect("an end in time").unwrap();
        bytes
    }

    /// How it ends.
    pub async fn code(&mut self) -> Option<i32> {
        timeout(DEADLINE, self.child.wait()).await.expect("an end in time").unwrap().code()
    }

    /// All that is left of it.
    pub async fn end(mut self) -> Ended {
        let text = String::from_utf8(self.raw().await).unwrap();
        let reports = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let code = self.code().await;
        Ended { reports, code }
    }
}

impl Drop for Worker {
    /// A test that fails leaves nothing behind either.
    fn drop(&mut self) {
        if self.process.is_alive() {
            end_descendants(self.process, Duration::ZERO);
        }
    }
}

/// A transcript as it comes out of reports: each block whole, with its number checked.
pub fn transcript(reports: &[WorkerReport]) -> Vec<(BlockKind, Option<String>, String)> {
    let mut blocks: Vec<(BlockKind, Option<String>, String)> = Vec::new();
    let mut open = None;
    for report in reports {
        match report {
            WorkerReport::Block { n, kind, name } => {
                assert_eq!((open, usize::try_from(*n).unwrap()), (None, blocks.len()));
                blocks.push((*kind, name.clone(), String::new()));
                open = Some(*n);
            }
            WorkerReport::Delta { n, text } => {
                assert_eq!(open, Some(*n));
                blocks.last_mut().unwrap().2.push_str(text);
            }
            WorkerReport::BlockEnd { n, .. } => assert_eq!(open.take(), Some(*n)),
            _ => {}
        }
    }
    assert_eq!(open, None);
    blocks
}
