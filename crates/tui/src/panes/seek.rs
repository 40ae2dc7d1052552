//! Search in a pane that has lines: `/` asks for a text, `n` and `N` go from line to line.
//!
//! Conversations are searched by the daemon, see [`super::conversation`].

use agent_worker_client::text::numbers;

use super::Panes;
use crate::{
    action::Action,
    model::{Effect, Model},
    parts::search::wanted,
    text::found::{broken, holds},
};

impl Panes {
    /// Searches the shown pane for a text, from the selected line on.
    pub fn find(&mut self, model: &mut Model, text: &str) -> Vec<Effect> {
        model.selection.searched.insert(model.place.tab, text.to_owned());
        self.seek(model, false, true)
    }

    /// Goes to the next or the previous match.
    pub fn next_match(&mut self, model: &mut Model, back: bool) -> Vec<Effect> {
        if wanted(model).is_empty() {
            let search = model.key(Action::Search);
            return model.tell(format!("nothing is searched for: {search} searches"));
        }
        self.seek(model, back, false)
    }

    /// Goes to the nearest line that matches, around the ends. The selected line counts only when a
    /// search begins.
    fn seek(&mut self, model: &mut Model, back: bool, with_own: bool) -> Vec<Effect> {
        let (lines, at) = self.of(model.place.tab).lines(model);
        let text = wanted(model).to_owned();
        let count = lines.len();
        let mut hits: Vec<usize> = (0..count).filter(|line| holds(&lines[*line], &text)).collect();
        if self.of(model.place.tab).is_text(model) {
            hits.extend(broken(&lines, &text).into_iter().map(|(first, _)| first));
            hits.sort_unstable();
            hits.dedup();
        }
        let to = match at {
            None if back => hits.last(),
            None => hits.first(),
            Some(at) if back => hits.iter().rev().find(|hit| **hit < at).or(hits.last()),
            Some(at) => {
                let is_next = |hit: &&usize| **hit > at || (with_own && **hit == at);
                hits.iter().find(is_next).or(hits.first())
            }
        };
        let Some(to) = to.copied() else {
            let lines = numbers::counted(count, "line", "lines");
            return model.tell(format!("no match for {text} in {lines}"));
        };
        let number = hits.iter().position(|hit| *hit == to).unwrap_or(0) + 1;
        let effects = self.of_mut(model.place.tab).pick_line(model, to);
        let [next, previous, end] =
            [Action::NextMatch, Action::PreviousMatch, Action::Back].map(|act| model.key(act));
        model.tell(format!(
            "match {number} of {} for {text}: {next} and {previous} go on, {end} ends it",
            hits.len()
        ));
        effects
    }
}
