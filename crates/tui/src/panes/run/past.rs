//! Several runs of an agent as one transcript: their blocks one after the other, each run below its
//! own line.

use std::collections::BTreeSet;

use agent_worker_protocol::{id::RunId, run::OutputEvent, target::Target};

use super::{block::Fit, transcript::Transcript};

/// How many runs are told at first, and how many more each time.
pub const STEP: usize = 5;

/// An agent's runs, as they are looked at together.
#[derive(Debug)]
pub struct Past {
    pub of: Target,
    /// Their blocks, by numbers that go on from run to run
    pub transcript: Transcript,
    /// How many are told, of the newest
    pub most: usize,
    /// Those that were asked for
    asked: BTreeSet<RunId>,
}

impl Past {
    /// The newest runs of an agent, before any is told.
    pub fn new(of: Target) -> Self {
        Self { of, transcript: Transcript::default(), most: STEP, asked: BTreeSet::new() }
    }

    /// Takes what is new of a run.
    pub fn take(&mut self, run: RunId, event: OutputEvent, now: i64) -> Fit {
        if self.asked.contains(&run) { self.transcript.take_of(run, event, now) } else { Fit::Good }
    }

    /// Whether a run that is on the screen was not asked for yet.
    pub fn asks(&mut self, run: RunId) -> bool {
        self.asked.insert(run)
    }
}
