//! What is kept of transcripts.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use agent_worker_protocol::{DeliveryState, OutputEvent, RunId, Target, Timestamp};

use super::{block::Fit, transcript::Transcript};
use crate::model::Model;

/// Transcripts that are on the screen, and a few that were.
#[derive(Debug, Default)]
pub struct Transcripts {
    pub of: BTreeMap<RunId, Transcript>,
    /// Those that are followed: since when by the daemon's clock, ms
    pub followed: BTreeMap<RunId, i64>,
    /// The most recently viewed is the last
    pub seen: VecDeque<RunId>,
    /// Which run of an agent the person wants to see
    pub chosen: BTreeMap<Target, RunId>,
    /// When the mail of an agent is tried again
    pub retries: BTreeMap<Target, Timestamp>,
    /// All runs of one agent, where those are looked at together
    pub past: Option<Past>,
    /// Whether what models think is left out
    pub hides_thinking: bool,
    /// Which database they are of
    pub epoch: Option<String>,
}

impl Transcripts {
    /// A run's transcript, as far as it is known.
    pub fn get(&self, run: RunId) -> Option<&Transcript> {
        self.of.get(&run)
    }

    /// When the mail of an agent is tried again.
    pub fn retry_of(&self, model: &Model, target: &Target) -> Option<Timestamp> {
        let heard = self.retries.get(target).copied();
        let mail = || {
            let messages = &model.known.inboxes.get(target)?.inbox.messages;
            let deliveries = messages.iter().map(|message| &message.delivery);
            let waiting = deliveries.filter(|delivery| delivery.state == DeliveryState::Waiting);
            waiting.filter_map(|delivery| delivery.not_before).min()
        };
        heard.or_else(mail)
    }
}

/// How many runs are told at first, and how many more each time.
pub const STEP: usize = 5;

/// Several runs of an agent as one transcript: their blocks one after the other, each run below its
/// own line.
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
