//! What a run leaves in its agent's memory: a note in the file of the day, whatever its end.
//! A heartbeat that has found nothing to tell leaves none.

use std::{
    path::Path,
    sync::{Mutex, OnceLock, PoisonError},
    time::Instant,
};

use agent_worker_home::{Home, HomeError, HomeFile, note, one_line};
use agent_worker_protocol::{AgentHome, RunConfig, WorkerReport};

use crate::{failure::Failure, own_home::local_time, reports::Reports};

/// How much of a text a day's file keeps, in characters.
const NOTED: usize = 300;

/// The note of a run, written once: at its end, or when the daemon ends it.
pub struct Diary {
    /// Where it is written; `None` if the agent has no home, or once it is written
    home: Mutex<Option<AgentHome>>,
    run: String,
    began: Instant,
    asked: OnceLock<String>,
}

impl Diary {
    /// The note of a run that begins.
    pub fn of(config: &RunConfig) -> Self {
        Self {
            home: Mutex::new(config.agent_home.clone()),
            run: config.run.to_string(),
            began: Instant::now(),
            asked: OnceLock::new(),
        }
    }

    /// Keeps what the run is asked.
    pub fn set_asked(&self, mail: &str) {
        drop(self.asked.set(one_line(mail, NOTED)));
    }

    /// Notes a run that has ended: why it was started, what was asked, what came of it.
    pub fn close(
        &self,
        end: &Result<WorkerReport, Failure>,
        reports: &Reports,
    ) -> Result<(), HomeError> {
        match end {
            Ok(WorkerReport::Finished { text, .. }) => self.write("answered", text, reports),
            Ok(_) => Ok(()),
            Err(failure) => self.write("failed", &failure.error, reports),
        }
    }

    /// Notes a run that the daemon ends: it was cancelled, or its time or its budget is over.
    pub fn break_off(&self, reports: &Reports) {
        // The run ends in any case.
        drop(self.write("ended", "before it was done", reports));
    }

    /// Several programs may add to that file at once: it is one write to its end.
    fn write(&self, word: &str, outcome: &str, reports: &Reports) -> Result<(), HomeError> {
        let home = self.home.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(at) = home else { return Ok(()) };
        if at.kind.is_silent(outcome) {
            return Ok(());
        }
        let now = local_time(&at, self.began);
        let asked = self.asked.get().cloned().unwrap_or_default();
        let said = [("asked", asked), (word, one_line(outcome, NOTED))];
        let mut lines: Vec<_> = said
            .into_iter()
            .filter(|(_, said)| !said.is_empty())
            .map(|(word, said)| format!("{word}: {said}"))
            .collect();
        let used = reports.used();
        if let (Some(read), Some(output)) = (used.read(), used.output) {
            lines.push(format!("tokens: {read} in, {output} out"));
        }
        let heading = format!("{} {} {}", now.strftime("%H:%M"), at.kind.as_str(), self.run);
        let home = Home::open(Path::new(&at.path))?;
        home.append(HomeFile::Day(now.date()), &note(&heading, &lines.join("\n")))
    }
}
