//! What a daemon was asked and has not answered yet.

use std::collections::BTreeSet;

use agent_worker_protocol::{OutputEvent, Run, RunId};

use crate::{
    app::Msg,
    model::{Effect, Model},
};

/// Requests and transcripts that are on their way.
#[derive(Debug, Default)]
pub struct Awaited {
    pub requests: usize,
    runs: BTreeSet<RunId>,
}

impl Awaited {
    /// Takes note of what is asked.
    pub fn ask(&mut self, effect: &Effect, model: &Model) {
        // A live run that has said nothing yet may do so at any time.
        let is_silent = |run: &Run| run.state.is_live() && run.spoke_at.is_none();
        match effect {
            Effect::Ask(_) => self.requests += 1,
            Effect::Follow(run) if model.mirror().run(*run).is_some_and(is_silent) => {}
            Effect::Follow(run) => drop(self.runs.insert(*run)),
            Effect::Unfollow(run) => drop(self.runs.remove(run)),
            _ => {}
        }
    }

    /// Takes note of what has come.
    pub fn hear(&mut self, model: &Model, msg: &Msg) {
        match msg {
            Msg::Answer(..) => self.requests = self.requests.saturating_sub(1),
            Msg::Output(run, event) => {
                // Of a live run the transcript has no end.
                let known = model.mirror().run(*run);
                let is_live = known.is_some_and(|run| run.state.is_live());
                if is_live || matches!(event, OutputEvent::End { .. }) {
                    self.runs.remove(run);
                }
            }
            _ => {}
        }
    }

    /// Waits no longer for transcripts: some may never come.
    pub fn give_up(&mut self) {
        self.runs.clear();
    }

    /// Whether all has come.
    pub fn is_empty(&self) -> bool {
        self.requests == 0 && self.runs.is_empty()
    }
}
