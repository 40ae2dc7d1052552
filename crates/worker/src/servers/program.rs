//! A server that is a program: it is started for the run and speaks on its input and output.

use std::{path::Path, process::Stdio, time::Duration};

use rmcp::service::ServiceExt;
use tokio::{
    process::{Child, ChildStdin, Command},
    sync::watch,
    time::timeout,
};

use super::{
    error::Unlisted,
    lines::{Calls, Lines},
};
use crate::{
    mcp::{Connection, me},
    processes::{complaints::Complaints, tree},
};

/// How much of its complaints is kept, in bytes.
const MOST_STDERR: usize = 2 << 10;

/// How long a program that has closed its output may take to end.
const LINGER: Duration = Duration::from_secs(1);

/// What the program reads and writes.
pub type Pipes = (Lines, ChildStdin);

/// A program that was started.
pub struct Program {
    /// How it has ended, once it has
    ended: watch::Receiver<Option<String>>,
    stderr: Complaints,
    /// The calls that it is to answer
    pub calls: Calls,
}

impl Program {
    /// Starts it with the worker's environment and its own variables.
    pub fn start(
        program: &str,
        args: &[String],
        env: &[(String, String)],
        folder: Option<&Path>,
    ) -> Result<(Self, Pipes), String> {
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.envs(env.iter().cloned());
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        let mut started = tree::spawn(&mut command)
            .map_err(|error| format!("`{program}` cannot be started: {error}"))?;
        let Child { stdin, stdout, stderr, .. } = &mut started.0;
        let (Some(into), Some(out), Some(err)) = (stdin.take(), stdout.take(), stderr.take())
        else {
            return Err(format!("`{program}` has no pipes"));
        };
        let stderr = Complaints::new(MOST_STDERR);
        let reading = stderr.clone().read(err);
        let (tell, ended) = watch::channel(None);
        tokio::spawn(async move {
            let (status, ()) = tokio::join!(started.wait(), reading);
            let told = status.map_or_else(|error| error.to_string(), |status| status.to_string());
            // The reader may be gone.
            let _ = tell.send(Some(told));
        });
        let calls = Calls::default();
        let lines = Lines::of(out, calls.clone());
        Ok((Self { ended, stderr, calls }, (lines, into)))
    }

    /// The known reason for the missing answer.
    pub async fn why(&self, why: String) -> String {
        let mut ended = self.ended.clone();
        let end = timeout(LINGER, ended.wait_for(Option::is_some)).await;
        let why = match end {
            Ok(Ok(end)) => format!("it has ended ({})", end.as_deref().unwrap_or_default()),
            _ => why,
        };
        self.with_complaints(why)
    }

    /// With its last lines of standard error.
    pub fn with_complaints(&self, why: String) -> String {
        let complaints = self.stderr.text();
        if complaints.is_empty() { why } else { format!("{why}: {complaints}") }
    }
}

/// Speaks with it. The handshake is the older one, which every server knows: a program that was
/// asked for anything else first may end.
pub async fn connect(pipes: Pipes) -> Result<Connection, Unlisted> {
    me().serve(pipes).await.map_err(Unlisted::from)
}
