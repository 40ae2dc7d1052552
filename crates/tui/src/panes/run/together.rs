//! All runs of an agent in one scroll. Older runs are told as the person comes to them.

use agent_worker_protocol::RunId;

use super::{
    Transcripts,
    screen::agent,
    state::{Past, STEP},
    transcript::{Sight, Transcript},
};
use crate::{
    model::{Effect, Model, history},
    parts::flow::Spot,
};

impl Transcripts {
    /// All runs of the agent, if they are what the main pane shows.
    pub fn past_in(&self, model: &Model, pane: Sight) -> Option<&Past> {
        let past = self.past.as_ref().filter(|_| pane == Sight::Main)?;
        (agent(model) == Some(&past.of)).then_some(past)
    }

    /// The transcript in a place of the screen.
    pub fn seen_in(&self, model: &Model, pane: Sight) -> Option<&Transcript> {
        match self.past_in(model, pane) {
            Some(past) => Some(&past.transcript),
            None => self.get(self.shown_in(model, pane)?),
        }
    }

    /// The runs that the main pane shows.
    pub fn runs_in(&self, model: &Model) -> Vec<RunId> {
        match self.past_in(model, Sight::Main) {
            Some(past) => {
                let known = history::known(model, &past.of);
                known.iter().take(past.most).map(|run| run.id).collect()
            }
            None => self.shown_in(model, Sight::Main).into_iter().collect(),
        }
    }

    /// Shows all runs of the agent, or only the chosen one again.
    pub fn toggle_past(&mut self, model: &mut Model) -> Vec<Effect> {
        if self.past_in(model, Sight::Main).is_some() {
            self.past = None;
            return model.tell("one run");
        }
        let Some(of) = agent(model).cloned() else { return Vec::new() };
        self.past = Some(Past::new(of.clone()));
        model.tell("all runs, the newest last");
        history::more(model, Some(&of))
    }

    /// Has older runs told where the view has come to the oldest.
    pub fn reach_back(&mut self, model: &mut Model) -> Vec<Effect> {
        let Some(past) = self.past_in(model, Sight::Main) else { return Vec::new() };
        let height = self.height_in(model, Sight::Main);
        let place = self.column_in(model, Sight::Main).map(|column| column.place(height));
        if place != Some(Spot::default()) {
            return Vec::new();
        }
        let of = past.of.clone();
        let (most, known) = (past.most, history::known(model, &of).len());
        if let Some(past) = self.past.as_mut().filter(|_| most < known) {
            past.most += STEP;
        }
        if most + STEP < known { Vec::new() } else { history::more(model, Some(&of)) }
    }
}

#[cfg(test)]
#[path = "../tests/run_together.rs"]
mod tests;
