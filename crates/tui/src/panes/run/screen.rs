//! Which transcripts are on the screen: those are followed, the others are forgotten after a while.

use std::collections::btree_map::Entry;

use agent_worker_protocol::{Run, RunId, Target};

use super::{Transcripts, transcript::Sight};
use crate::model::{Effect, Model, Request, Tab, history};

/// How many transcripts are kept that are not on the screen.
const KEPT: usize = 4;

/// The agent whose run the main pane shows.
pub fn agent(model: &Model) -> Option<&Target> {
    let is_run = matches!(model.place.tab, Tab::Run | Tab::Prompt);
    model.place.subject.agent().filter(|_| is_run)
}

impl Transcripts {
    /// The shown run of an agent: the chosen run, else the live run, else the newest.
    pub fn run_of(&self, model: &Model, target: &Target) -> Option<RunId> {
        let chosen = self.chosen.get(target).copied();
        chosen.or_else(|| history::newest(model, target))
    }

    /// The run in a place of the screen.
    pub fn shown_in(&self, model: &Model, pane: Sight) -> Option<RunId> {
        match pane {
            Sight::Main | Sight::Prompt => self.run_of(model, agent(model)?),
            Sight::Dock(run, _) => run,
        }
    }

    /// What is known of a run.
    pub fn run<'a>(&'a self, model: &'a Model, id: RunId) -> Option<&'a Run> {
        let known = model.mirror().run(id).or_else(|| model.known.runs.find(id));
        known.or_else(|| Some(&self.get(id)?.detail.as_ref()?.run))
    }

    /// Follows what came onto the screen, follows no more what left it, and asks for what else there
    /// is to know of a run in the state it is in now.
    pub fn sync(&mut self, model: &Model, wanted: &[RunId]) -> Vec<Effect> {
        if !model.is_live() {
            return Vec::new();
        }
        let mut effects = Vec::new();
        let together = self.past_in(model, Sight::Main).map(|_| self.runs_in(model));
        for id in wanted {
            let run_state = self.run(model, *id).map(|run| run.state);
            self.seen.retain(|seen| seen != id);
            self.seen.push_back(*id);
            let transcript = self.of.entry(*id).or_default();
            let is_together = together.as_ref().is_some_and(|runs| runs.contains(id));
            if is_together && self.past.as_mut().is_some_and(|past| past.asks(*id)) {
                // It is told from its beginning, for those who have heard it too.
                transcript.end = None;
                self.followed.remove(id);
                effects.push(Effect::Unfollow(*id));
            }
            if transcript.end.is_none()
                && let Entry::Vacant(unfollowed) = self.followed.entry(*id)
            {
                unfollowed.insert(model.daemon_now());
                effects.push(Effect::Follow(*id));
            }
            if run_state.is_some() && transcript.asked != run_state {
                transcript.asked = run_state;
                effects.push(Effect::Ask(Request::Run(*id)));
            }
        }
        effects.extend(self.leave(wanted));
        effects
    }

    /// Follows nothing but these, and forgets what was not looked at for longest.
    fn leave(&mut self, wanted: &[RunId]) -> Vec<Effect> {
        let left = self.followed.extract_if(.., |id, _| !wanted.contains(id));
        let left = left.map(|(id, _)| Effect::Unfollow(id)).collect();
        while self.seen.len() > wanted.len() + KEPT {
            let Some(oldest) = self.seen.pop_front() else { break };
            self.of.remove(&oldest);
        }
        left
    }
}
