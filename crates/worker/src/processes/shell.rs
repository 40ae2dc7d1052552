//! Commands for `sh`, and what they put out. What they leave running is not waited for: it ends
//! with the worker.

use std::{
    collections::BTreeMap,
    io::{self, PipeReader, PipeWriter, pipe},
    os::fd::OwnedFd,
    pin::pin,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use agent_worker_protocol::RunConfig;
use tokio::{io::AsyncReadExt, net::unix::pipe::Receiver, process::Command, time::timeout};

use crate::processes::tree;

/// How long to read on after a command has ended, where what it left running still holds its
/// output: what the command itself wrote is there at once.
const LINGER: Duration = Duration::from_millis(50);

/// Which part of an output is kept when it is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// This many bytes of its beginning.
    Head(usize),
    /// This many bytes of its end.
    Tail(usize),
}

/// What a command put out.
#[derive(Debug)]
pub struct Output {
    kept: Vec<u8>,
    keep: Keep,
    /// Whether some of it was not kept.
    pub is_cut: bool,
}

/// Runs `sh -c` with nothing to read, each output kept by itself.
pub async fn run_apart(
    command: &mut Command,
    keep: [Keep; 2],
) -> io::Result<(ExitStatus, Output, Output)> {
    let ((out, out_end), (err, err_end)) = (pipe()?, pipe()?);
    let mut outputs = keep.map(Output::new);
    let [kept_out, kept_err] = &mut outputs;
    let status = run(command, out_end, err_end, async {
        tokio::join!(kept_out.fill(out), kept_err.fill(err));
    });
    let status = status.await?;
    let [out, err] = outputs;
    Ok((status, out, err))
}

/// Runs `sh -c` with nothing to read, both outputs kept as one.
pub async fn run_merged(command: &mut Command, keep: Keep) -> io::Result<(ExitStatus, Output)> {
    let mut output = Output::new(keep);
    let status = run_heard(command, &mut |bytes| output.push(bytes)).await?;
    Ok((status, output))
}

/// Runs `sh -c` with nothing to read, and lets both outputs be heard as one as they come.
pub async fn run_heard(
    command: &mut Command,
    hear: &mut dyn FnMut(&[u8]),
) -> io::Result<ExitStatus> {
    let (reader, end) = pipe()?;
    let other_end = end.try_clone()?;
    run(command, end, other_end, listen(reader, hear)).await
}

/// What stands in the environment of an agent's commands, so that the command line acts as the
/// agent there.
pub fn identity(config: &RunConfig) -> BTreeMap<String, String> {
    let agent = config.target();
    let variables = [
        ("AGENT_WORKER_TOKEN", config.token.clone()),
        ("AGENT_WORKER_AGENT", agent.to_string()),
        ("AGENT_WORKER_HOME", config.home.clone()),
        ("AGENT_WORKER_URL", config.daemon_url.clone()),
    ];
    variables.map(|(name, value)| (name.to_owned(), value)).into()
}

/// `sh -c` with a script.
pub fn sh(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(script);
    command
}

/// How a command has ended.
pub fn how(status: ExitStatus) -> String {
    status.code().map_or_else(|| status.to_string(), |code| format!("exit {code}"))
}

async fn run(
    command: &mut Command,
    stdout: PipeWriter,
    stderr: PipeWriter,
    reading: impl Future<Output = ()>,
) -> io::Result<ExitStatus> {
    let mut child = tree::spawn(command.stdin(Stdio::null()).stdout(stdout).stderr(stderr))?;
    // The command keeps its ends of the pipes, and with them the pipes would never end.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut reading = pin!(reading);
    let mut is_read = false;
    let status = loop {
        tokio::select! {
            status = child.wait() => break status?,
            () = &mut reading, if !is_read => is_read = true,
        }
    };
    if !is_read {
        let _ = timeout(LINGER, reading).await;
    }
    Ok(status)
}

/// Reads until no process holds the other end.
async fn listen(reader: PipeReader, hear: &mut dyn FnMut(&[u8])) {
    let Ok(mut reader) = Receiver::from_owned_fd(OwnedFd::from(reader)) else { return };
    let mut buffer = vec![0; 16 << 10];
    while let Ok(length @ 1..) = reader.read(&mut buffer).await {
        hear(&buffer[..length]);
    }
}

impl Output {
    fn new(keep: Keep) -> Self {
        Self { kept: Vec::new(), keep, is_cut: false }
    }

    async fn fill(&mut self, reader: PipeReader) {
        listen(reader, &mut |bytes| self.push(bytes)).await;
    }

    fn push(&mut self, bytes: &[u8]) {
        match self.keep {
            Keep::Head(most) => {
                let room = most - self.kept.len();
                self.is_cut |= bytes.len() > room;
                self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
            }
            Keep::Tail(most) => {
                self.kept.extend_from_slice(bytes);
                // Moving the rest to the front each time would be slow.
                if self.kept.len() > 2 * most {
                    self.cut_front(most);
                }
            }
        }
    }

    fn cut_front(&mut self, most: usize) {
        let surplus = self.kept.len().saturating_sub(most);
        self.is_cut |= surplus > 0;
        self.kept.drain(..surplus);
    }

    /// What was kept, as text.
    pub fn into_text(mut self) -> (String, bool) {
        if let Keep::Tail(most) = self.keep {
            self.cut_front(most);
        }
        (String::from_utf8_lossy(&self.kept).into_owned(), self.is_cut)
    }
}

#[cfg(test)]
#[path = "tests/shell.rs"]
mod tests;
