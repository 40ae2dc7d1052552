//! How a session grows: in rounds, each kept whole or not at all, so that it can be gone
//! on with whenever the worker ends.

use agent_worker_protocol::WorkerReport;

use super::{
    kept::{Kept, LONGEST, Opening},
    summary::summarise,
};
use crate::{
    model::{Part, Said, Used},
    reports::Reports,
};

/// What adds to a session.
pub struct Keeper<'s> {
    /// None if nothing is kept
    reports: Option<&'s Reports>,
    /// Who answers, as `provider/model`
    pub model: String,
    /// Open round
    open: Vec<Kept>,
}

impl<'s> Keeper<'s> {
    /// Begins a run of this model.
    pub fn new(reports: &'s Reports, is_wanted: bool, model: String) -> Self {
        Self { reports: is_wanted.then_some(reports), model, open: Vec::new() }
    }

    /// What the run begins with, or what that has become while nothing of it is kept yet. It is kept
    /// with the first round, so that nothing is left of a run in which nothing happened.
    pub fn open(&mut self, opening: Opening) {
        self.open = vec![Kept::Prompt(opening)];
    }

    /// The model has answered, behind a conversation with this fingerprint.
    pub fn answered(&mut self, parts: &[Part], used: Used, behind: u64) {
        if self.reports.is_none() {
            return;
        }
        let usage = used.usage.plausible();
        let tokens = usage.input.and(usage.total());
        let (parts, model) = (parts.to_vec(), self.model.clone());
        self.open.push(Kept::Answered { parts, model, tokens, behind: Some(behind) });
    }

    /// It has been told what came of it: the round is whole. The gist is of the mail in it.
    pub fn told(&mut self, said: &[Said], gist: Vec<String>) {
        if self.reports.is_some() {
            self.open.push(Kept::Told(said.to_vec()));
            self.open.extend((!gist.is_empty()).then_some(Kept::Gist(gist)));
            self.keep();
        }
    }

    /// Keeps what there is. It must make sense up to here.
    pub fn keep(&mut self) {
        let round = std::mem::take(&mut self.open);
        if !round.is_empty() {
            self.send(&round, false);
        }
    }

    /// Keeps this in place of all that was kept before; what is not whole yet stays open.
    pub fn keep_instead(&self, all: &[Kept]) {
        self.send(all, true);
    }

    fn send(&self, turns: &[Kept], instead: bool) {
        let Some(reports) = self.reports else { return };
        for round in turns.chunk_by(are_of_one_round) {
            let mut stored: Vec<_> = round.iter().map(Kept::stored).collect();
            if stored.iter().any(|turn| turn.content.len() > LONGEST) {
                stored = without_calls(round).iter().map(Kept::stored).collect();
            }
            for turn in stored {
                reports.turn(turn);
            }
        }
        reports.send(&WorkerReport::Turns { instead });
    }
}

/// Whether the second of two turns belongs to the round of the first. A round begins with a prompt
/// or an answer, and ends with what the model was told of its calls.
fn are_of_one_round(first: &Kept, second: &Kept) -> bool {
    let is_last = matches!(first, Kept::Told(_) | Kept::Gist(_) | Kept::Summary(_));
    !is_last && !matches!(second, Kept::Prompt(_))
}

/// A round that is too long, as a list of its actions, which stays when the turn with it is gone.
fn without_calls(turns: &[Kept]) -> Vec<Kept> {
    let lines = summarise(turns);
    let (told, gist) = (Said::Text(lines.of_this_run()), lines.all().to_vec());
    let Some(opening) = turns.iter().find_map(Kept::opening).cloned() else {
        return vec![Kept::Told(vec![told]), Kept::Gist(gist)];
    };
    let mut opening = Opening { gist, ..opening };
    if Kept::Prompt(opening.clone()).stored().content.len() <= LONGEST {
        opening.said.push(told);
    } else {
        (opening.said, opening.is_whole) = (vec![told], false);
    }
    vec![Kept::Prompt(opening)]
}
