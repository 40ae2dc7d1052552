//! A program at work, until its whole tree has ended.

use std::{process::ExitStatus, time::Duration};

use agent_worker_process::{Process, Signal, end_descendants};
use tokio::{
    process::{ChildStdin, ChildStdout},
    task::JoinHandle,
    time::timeout,
};

use super::{Said, lines::Lines};
use crate::{
    failure::Failure,
    processes::{complaints::Complaints, tree::Spawned},
};

/// How much is kept of what a program complains of, in bytes.
const MOST_COMPLAINTS: usize = 4 << 10;

/// Time to read on after a program has ended, where a process that it left still holds its output:
/// what the program itself wrote is there at once.
const LINGER: Duration = Duration::from_millis(200);

/// A program at work.
pub struct Running {
    spawned: Spawned,
    process: Option<Process>,
    lines: Lines<ChildStdout>,
    status: Option<ExitStatus>,
    name: String,
    complaints: Complaints,
    reading: JoinHandle<()>,
}

/// How a program has ended.
#[derive(Debug)]
pub struct Ended {
    /// Its exit code or signal; `None` if the system does not tell
    pub status: Option<ExitStatus>,
    /// Whether it ended only after a signal
    pub was_told: bool,
    /// The last of its standard error, and of its output that was no event
    pub complaints: String,
    /// The program's name for people
    pub name: String,
}

impl Running {
    /// Hears a program that was started with pipes.
    pub fn of(mut spawned: Spawned, name: String) -> Result<Self, Failure> {
        let (Some(output), Some(stderr)) = (spawned.0.stdout.take(), spawned.0.stderr.take())
        else {
            let text = format!("program `{name}` has no pipes");
            return Err(Failure::transient(text));
        };
        let complaints = Complaints::new(MOST_COMPLAINTS);
        let reading = tokio::spawn(complaints.clone().read(stderr));
        let (process, lines) = (spawned.process(), Lines::of(output));
        Ok(Self { spawned, process, lines, status: None, name, complaints, reading })
    }

    /// Its standard input, where nothing writes to it yet.
    pub fn input(&mut self) -> Option<ChildStdin> {
        self.spawned.0.stdin.take()
    }

    /// Returns the next line; `None` when the program has ended and all of it was heard.
    pub async fn hear(&mut self) -> Option<Said> {
        if self.status.is_none() {
            tokio::select! {
                biased;
                said = self.lines.next() => return said,
                status = self.spawned.wait() => self.status = status.ok(),
            }
        }
        timeout(LINGER, self.lines.next()).await.ok().flatten()
    }

    /// Keeps a line that is not an event for the program's complaints.
    pub fn note(&self, text: &str) {
        self.complaints.push(text.as_bytes());
        self.complaints.push(b"\n");
    }

    /// Ends it: it has `patience` to end by itself, then its whole tree gets TERM, and what is left
    /// of it after `grace` KILL. What it writes meanwhile is read and forgotten.
    pub async fn end(mut self, patience: Duration, grace: Duration) -> Ended {
        let mut was_told = false;
        if self.status.is_none() && !self.ends_within(patience).await {
            was_told = true;
            self.terminate();
            if !self.ends_within(grace).await {
                self.kill().await;
            }
        }
        // What it left may hold its standard error open, and ends with the worker.
        let _ = timeout(LINGER, &mut self.reading).await;
        self.reading.abort();
        let complaints = self.complaints.text();
        Ended { status: self.status, was_told, complaints, name: std::mem::take(&mut self.name) }
    }

    async fn ends_within(&mut self, longest: Duration) -> bool {
        let drain = async {
            while self.lines.next().await.is_some() {}
            std::future::pending::<()>().await;
        };
        let wait = async {
            tokio::select! {
                status = self.spawned.wait() => status.ok(),
                () = drain => None,
            }
        };
        match timeout(longest, wait).await {
            Ok(status) => {
                self.status = status;
                true
            }
            Err(_) => false,
        }
    }

    fn terminate(&self) {
        let Some(process) = self.process else { return };
        let below = process.descendants();
        process.signal(Signal::TERM);
        for process in below {
            process.signal(Signal::TERM);
        }
    }

    async fn kill(&mut self) {
        let Some(process) = self.process else { return };
        // A program that goes on starting others would keep their end from coming to an end.
        process.signal(Signal::STOP);
        let below = move || end_descendants(process, Duration::ZERO);
        drop(tokio::task::spawn_blocking(below).await);
        process.signal(Signal::KILL);
        self.status = self.spawned.wait().await.ok();
    }
}

impl Drop for Running {
    /// What is not heard to its end is ended with the worker; a run that goes on ends it here.
    fn drop(&mut self) {
        if self.status.is_none()
            && let Some(process) = self.process
        {
            process.signal(Signal::TERM);
        }
    }
}
