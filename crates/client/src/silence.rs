//! Tells a slow daemon from a silent one: a stopped process
//! takes connections and says nothing on them.

use std::{future::Future, pin::pin, time::Duration};

use agent_worker_process::Process;
use tokio::time::sleep;

use crate::{Client, ClientError};

/// How long the end of a daemon that takes no connections is waited for before that is told.
const UNTOLD: Duration = Duration::from_secs(1);

/// How long a request may take before it is looked whether the daemon answers others.
const QUIET: Duration = Duration::from_secs(2);
/// How long the first look takes, and how long the last.
const LOOK: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(12);
/// How often it is looked at while a request takes its time.
const AGAIN: Duration = Duration::from_secs(10);

impl Client {
    /// Does some work with the daemon, for as long as the daemon answers anything.
    pub(crate) async fn unless_silent<T>(
        &self,
        work: impl Future<Output = T>,
    ) -> Result<T, ClientError> {
        tokio::select! {
            biased;
            done = work => Ok(done),
            silence = self.falls_silent() => Err(silence),
        }
    }

    /// Resolves once the daemon does not answer, with what there is to say about it.
    async fn falls_silent(&self) -> ClientError {
        let mut pause = QUIET;
        loop {
            sleep(pause).await;
            pause = AGAIN;
            if self.is_heard(LOOK).await {
                continue;
            }
            if let Some(tell) = self.tell {
                tell(&self.silence());
            }
            if !self.is_heard(PATIENCE).await {
                return self.silence();
            }
        }
    }

    /// Whether the daemon answers within this time. A daemon that is gone is not silent: what was asked
    /// of it fails by itself.
    async fn is_heard(&self, span: Duration) -> bool {
        !matches!(Box::pin(self.health_within(span)).await, Err(ClientError::Silent { .. }))
    }

    /// Waits for what follows a daemon that does not answer. Tells after a second what is waited for,
    /// if its process still runs by then.
    pub async fn patient<T>(&self, wait: impl Future<Output = T>) -> T {
        let mut wait = pin!(wait);
        tokio::select! {
            biased;
            done = &mut wait => return done,
            () = sleep(UNTOLD) => {}
        }
        let process = self.pid().and_then(|pid| Process::of(i32::try_from(pid).ok()?));
        if let Some(tell) = self.tell
            && process.is_some_and(Process::is_alive)
        {
            tell(&self.silence());
        }
        wait.await
    }

    /// Whether the process of the daemon is stopped, as by Ctrl-Z.
    pub(crate) fn is_stopped(&self) -> bool {
        let process = self.pid().and_then(|pid| Process::of(i32::try_from(pid).ok()?));
        process.is_some_and(Process::is_stopped)
    }

    pub(crate) fn silence(&self) -> ClientError {
        let pid = self.pid();
        let hint = match pid {
            None => "agent-worker daemon status".to_owned(),
            Some(pid) if self.is_stopped() => {
                format!("kill -CONT {pid} lets it go on; kill -9 {pid} ends it")
            }
            Some(pid) => format!("kill -9 {pid}"),
        };
        ClientError::Silent { base: self.place(), pid, hint }
    }
}
