//! How a run's process ends and what is stored of that.

use std::{process::ExitStatus, time::Duration};

use crate::{
    changes::run::finish,
    context::{Credential, Cx},
    engine::{
        process::{
            reports::{Line, Lines},
            spawner::{Reports, Worker, drain},
        },
        runs::{
            follower::{ECHO, Follower},
            outcome::Terminal,
        },
    },
    fail_points::reach,
    rows::EndCause,
    rules::ending::Failure,
};

/// How many reports of a worker are taken while it is ended.
const LAST_WORDS: usize = 1_000;

/// How soon a worker that has said its last word is gone, if nothing holds it up.
const PROMPT: Duration = Duration::from_millis(10);

impl Follower<'_> {
    /// The worker has said its last word, or closed its output: it has a moment to be gone.
    pub async fn await_exit(
        &mut self,
        worker: &mut Worker,
        lines: &mut Lines,
        reports: &mut Reports,
    ) -> (Option<ExitStatus>, Option<Failure>) {
        let runs = &self.app.store().settings().runs;
        let patience = runs.kill_grace.duration();
        // What it said last is stored with its end, if that comes at once.
        if let Ok(status) = tokio::time::timeout(PROMPT, worker.wait()).await {
            return (status.ok(), None);
        }
        self.save().await;
        if let Ok(status) = tokio::time::timeout(patience, worker.wait()).await {
            return (status.ok(), None);
        }
        let why = match self.terminal {
            Some(_) => format!("it did not end within {} of its last report", runs.kill_grace),
            None => format!("it closed its output and did not end within {}", runs.kill_grace),
        };
        let failure = Failure::new(EndCause::Transient, why);
        (self.put_down(worker, lines, reports, &failure).await, Some(failure))
    }

    /// Ends the run from outside: first its token, then its processes. What the worker still
    /// reports is taken: its use of tokens, the end of its texts, its session.
    pub async fn put_down(
        &mut self,
        worker: &mut Worker,
        lines: &mut Lines,
        reports: &mut Reports,
        failure: &Failure,
    ) -> Option<ExitStatus> {
        self.decide(failure).await;
        if self.noted.process.is_some() {
            // Its end may take a while, and a later daemon knows it only by this note.
            self.save().await;
        }
        reach("run.ending");
        let grace = self.app.store().settings().runs.kill_grace.duration();
        let farewell = async {
            self.hear_farewell(lines, reports).await;
            // A worker that is busy printing must be able to hear the signal.
            drain(reports).await
        };
        let status = tokio::select! {
            status = worker.end(grace) => status,
            never = farewell => match never {},
        };
        // Its last lines may lie there still.
        let _ = tokio::time::timeout(ECHO, self.hear_farewell(lines, reports)).await;
        status.ok()
    }

    /// Takes reports until they end, are too many or cannot be believed. They are not stored
    /// meanwhile: this is dropped in the middle.
    async fn hear_farewell(&mut self, lines: &mut Lines, reports: &mut Reports) {
        for _ in 0..LAST_WORDS {
            if !self.is_believed {
                return;
            }
            match lines.next(reports).await {
                Line::End => return,
                line => drop(self.hear(line)),
            }
        }
        self.is_believed = false;
    }

    /// Decides the run's end: from here on its token is dead.
    pub async fn decide(&self, failure: &Failure) {
        let (run, decided) = (self.claimed.run.id, failure.clone());
        let decide = move |cx: &mut Cx<'_>| finish::begin_end(cx, run, &decided);
        if let Err(error) = self.app.store().write(Credential::Daemon, decide).await {
            tracing::error!(%run, %error, "the end of a run was not noted");
        }
    }

    /// Success needs the worker's word and exit code 0: its final text, and whether it has acted.
    /// An agent program must also have listed the daemon's tools: some report success without them.
    pub fn judge(
        &mut self,
        forced: Option<Failure>,
        exit: Option<i32>,
        signal: Option<i32>,
    ) -> Result<(String, bool), Failure> {
        if let Some(failure) = forced {
            return Err(failure);
        }
        let transient = |why: String| Err(Failure::new(EndCause::Transient, why));
        match (self.terminal.take(), exit, signal) {
            (Some(Terminal::Failed(failure)), ..) => Err(failure),
            (Some(Terminal::Finished { .. }), ..)
                if self.program.is_some_and(|caller| !caller.has_listed()) =>
            {
                transient("its program never asked the daemon for its tools".to_owned())
            }
            (Some(Terminal::Finished { text, acted }), Some(0), _) => Ok((text, acted)),
            (Some(Terminal::Finished { .. }), Some(code), _) => {
                transient(format!("it reported success and exited with {code}"))
            }
            (_, _, Some(signal)) => transient(format!("it was ended by signal {signal}")),
            (None, Some(0), _) => transient("it ended without a report".to_owned()),
            (_, code, _) => {
                let code = code.map_or("no code".to_owned(), |code| code.to_string());
                transient(format!("it exited with {code} and without a report"))
            }
        }
    }
}
