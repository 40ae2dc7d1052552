//! The user's ssh, as a child process with the far end at its standard input and output.

use std::{
    process::Stdio,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command},
    task::JoinHandle,
    time::{Instant, sleep_until, timeout},
};

use super::{
    Destination, RemoteError,
    error::End,
    line::far_end,
    plan::Plan,
    wire::{self, Greeting, Hello, MARK},
};
use crate::Sanitized;

/// Options besides the user's own. A cut must end ssh some time, its forwardings and its
/// `RemoteCommand` are for a shell, and a daemon that is started there must not hold on to an
/// agent that leaves.
const OPTIONS: [&str; 13] = [
    "-T",
    "-a",
    "-x",
    "-o",
    "ConnectTimeout=10",
    "-o",
    "ServerAliveInterval=15",
    "-o",
    "ServerAliveCountMax=3",
    "-o",
    "ClearAllForwardings=yes",
    "-o",
    "RemoteCommand=none",
];

/// How long a link may take where nothing is asked of the user.
const PATIENCE: Duration = Duration::from_secs(30);

/// Time after which the user is told what ssh says, such as where to log in.
const TELL_AFTER: Duration = Duration::from_secs(1);

/// How long ssh may take to end by itself, and after it was told to.
const END: Duration = Duration::from_millis(500);

/// The most that is kept of standard error, and read before the hello, in bytes.
const KEPT: usize = 16 * 1024;

/// A link whose far end has said hello.
pub(super) struct Ssh {
    child: Child,
    complaints: Complaints,
}

/// Standard error of ssh.
struct Complaints {
    said: Arc<Mutex<Said>>,
    reader: JoinHandle<()>,
}

#[derive(Default)]
struct Said {
    text: String,
    /// Whether the user is told nothing more
    is_connected: bool,
}

impl Ssh {
    /// Starts ssh and waits for the far end.
    pub async fn connect(
        plan: &Plan,
    ) -> Result<(Self, BufReader<ChildStdout>, ChildStdin), RemoteError> {
        let mut child = command(plan).spawn().map_err(|error| RemoteError::no_ssh(&error))?;
        let output = child.stdout.take().expect("it is piped");
        let mut input = child.stdin.take().expect("it is piped");
        let stderr = child.stderr.take().expect("it is piped");
        let mut ssh = Self { child, complaints: Complaints::read(stderr, plan.tell) };
        let mut output = BufReader::new(output);
        let greeted = ssh.greeted(plan, &mut output, &mut input);
        let greeted = if plan.may_ask {
            greeted.await
        } else {
            let late = |_| Err(RemoteError::silent(&plan.to));
            timeout(PATIENCE, greeted).await.unwrap_or_else(late)
        };
        match greeted {
            Ok(()) => Ok((ssh, output, input)),
            Err(error) => {
                drop(input);
                ssh.end().await;
                Err(error)
            }
        }
    }

    async fn greeted(
        &mut self,
        plan: &Plan,
        output: &mut BufReader<ChildStdout>,
        input: &mut ChildStdin,
    ) -> Result<(), RemoteError> {
        let mut printed = String::new();
        let hello = loop {
            match wire::text(output).await {
                // A shell may set the title of its terminal first, which ends no line.
                Ok(Some(line)) => match line.rsplit_once(MARK) {
                    Some((_, hello)) => break hello.to_owned(),
                    None if printed.len() < KEPT => printed.extend([&line, "\n"]),
                    None => return Err(self.failed(plan, printed).await),
                },
                Ok(None) | Err(_) => return Err(self.failed(plan, printed).await),
            }
        };
        let version = |text: &str| RemoteError::version(&plan.to, text);
        let hello: Hello = serde_json::from_str(&hello).map_err(|_| version("unknown"))?;
        if !hello.is_understood() {
            return Err(version(&hello.version));
        }
        let greeting = Greeting {
            protocol: wire::PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            state_dir: plan.state_dir.clone(),
        };
        let sent = input.write_all(&wire::line(&greeting)).await;
        self.complaints.is_connected();
        match sent {
            Ok(()) => Ok(()),
            Err(_) => Err(self.failed(plan, printed).await),
        }
    }

    async fn failed(&mut self, plan: &Plan, printed: String) -> RemoteError {
        let code = match timeout(END * 4, self.child.wait()).await {
            Ok(Ok(status)) => status.code(),
            _ => None,
        };
        let complaints = self.complaints.whole().await;
        RemoteError::ended(&plan.to, &End { code, printed, complaints })
    }

    /// What there is to say about a link that is cut.
    pub async fn cut(&mut self, to: &Destination) -> RemoteError {
        self.end().await;
        RemoteError::cut(to, &self.complaints.whole().await)
    }

    /// Waits for the end of ssh, whose standard input is closed; then tells it to end. A killed
    /// ssh would leave the socket that others share.
    pub async fn end(&mut self) {
        if timeout(END, self.child.wait()).await.is_ok() {
            return;
        }
        let pid = self.child.id().and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
        if let Some(pid) = pid {
            // It may have ended by now.
            let _ = kill_process(pid, Signal::TERM);
        }
        if timeout(END, self.child.wait()).await.is_err() {
            let _ = self.child.kill().await;
        }
    }
}

fn command(plan: &Plan) -> Command {
    let mut command = Command::new("ssh");
    command.args(OPTIONS);
    if !plan.may_ask {
        // A question would be drawn over the screen, or wait for ever.
        command.args(["-o", "BatchMode=yes"]);
    }
    command.args(["--", plan.to.as_str(), &far_end()]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.kill_on_drop(true);
    command
}

impl Complaints {
    fn read(from: impl AsyncRead + Unpin + Send + 'static, tell: Option<fn(&str)>) -> Self {
        let said = Arc::default();
        let reader = tokio::spawn(gathered(from, Arc::clone(&said), tell));
        Self { said, reader }
    }

    /// Tells the user nothing more: what servers say at a login is of no interest then.
    fn is_connected(&self) {
        *held(&self.said) = Said { is_connected: true, ..Said::default() };
    }

    async fn whole(&mut self) -> String {
        // A program that ssh has started may hold it open.
        let _ = timeout(END, &mut self.reader).await;
        held(&self.said).text.clone()
    }
}

fn held(said: &Mutex<Said>) -> MutexGuard<'_, Said> {
    said.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps the end of a text, and tells its lines to a user who waits for a link.
async fn gathered(from: impl AsyncRead + Unpin, said: Arc<Mutex<Said>>, tell: Option<fn(&str)>) {
    let tell = |said: &Said, text: &str| {
        if let Some(tell) = tell.filter(|_| !said.is_connected && !text.trim().is_empty()) {
            tell(Sanitized::text(text.trim_end()).as_str());
        }
    };
    let mut lines = BufReader::new(from);
    let at = Instant::now() + TELL_AFTER;
    let mut is_late = false;
    let mut line = Vec::new();
    loop {
        let mut bounded = (&mut lines).take(KEPT as u64);
        // What is read of a line when the time comes stays in `line`.
        let read = tokio::select! {
            read = bounded.read_until(b'\n', &mut line) => read,
            () = sleep_until(at), if !is_late => {
                is_late = true;
                let said = held(&said);
                tell(&said, &said.text);
                continue;
            }
        };
        if !matches!(read, Ok(1..)) {
            return;
        }
        let text = String::from_utf8_lossy(&std::mem::take(&mut line)).into_owned();
        let mut said = held(&said);
        if is_late {
            tell(&said, &text);
        }
        said.text.push_str(&text);
        let over = said.text.len().saturating_sub(KEPT);
        let cut = (over..said.text.len()).find(|at| said.text.is_char_boundary(*at)).unwrap_or(0);
        said.text.drain(..cut);
    }
}

#[cfg(test)]
#[path = "tests/ssh.rs"]
mod tests;
