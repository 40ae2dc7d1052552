//! Room in a conversation that is too long for its model: old rounds become a list of what was
//! done in them, and long results their beginnings. The prompt and all mail stay word for word.

use super::reminders::is_reminder;
use crate::{
    history::{Kept, Lines, Opening, summarise},
    model::{Part, Said, Turn},
};

/// Rounds of model and tools that stay as they are.
const KEPT_ROUNDS: usize = 2;

/// How much of a long result stays, in bytes.
const KEPT_RESULT: usize = 4 << 10;

/// What was left out so far.
#[derive(Debug, Default)]
pub struct Compacted {
    /// What was done in earlier runs that are gone
    earlier: Lines,
    /// What was done in this one, in order
    lines: Lines,
    /// Mail that came in rounds that are gone
    mail: Vec<String>,
}

impl Compacted {
    /// Makes room by leaving out all earlier runs. What this one begins with is the only turn
    /// before its rounds then.
    pub fn drop_earlier(
        &mut self,
        earlier: &[Kept],
        turns: &mut Vec<Turn>,
        start: usize,
        whole: &str,
    ) {
        self.earlier = summarise(earlier);
        turns.drain(..start);
        turns[0] = Turn::Told(self.opening(whole));
    }

    /// What the conversation begins with from now on.
    fn opening(&self, prompt: &str) -> Vec<Said> {
        let earlier = (!self.earlier.is_empty()).then(|| self.earlier.of_earlier_runs());
        earlier.into_iter().chain([prompt.to_owned()]).map(Said::Text).collect()
    }

    /// Makes the rounds of this run shorter, and says whether that was possible.
    pub fn shorten(&mut self, turns: &mut Vec<Turn>, prompt: &str) -> bool {
        let before = size(turns);
        self.drop_old_rounds(turns, prompt);
        if size(turns) > before / 2 {
            turns.iter_mut().for_each(shorten_results);
        }
        size(turns) < before
    }

    fn drop_old_rounds(&mut self, turns: &mut Vec<Turn>, prompt: &str) {
        // After the prompt, each round has the model's turn and what it was told then.
        let rounds = turns.len().saturating_sub(1) / 2;
        let dropped = rounds.saturating_sub(KEPT_ROUNDS) * 2;
        if dropped == 0 {
            return;
        }
        let gone: Vec<_> = turns.drain(1..=dropped).collect();
        for [answer, told] in gone.as_chunks().0 {
            self.note(answer, told.said());
        }
        let mut first = self.opening(prompt);
        first.extend(self.of_this_run());
        turns[0] = Turn::Told(first);
    }

    /// What stands for all that was left out.
    pub fn summaries(&self) -> impl Iterator<Item = String> {
        let earlier = (!self.earlier.is_empty()).then(|| self.earlier.of_earlier_runs());
        earlier.into_iter().chain(self.summary())
    }

    fn summary(&self) -> Option<String> {
        (!self.lines.is_empty()).then(|| self.lines.of_this_run())
    }

    /// What this run is told of the turns it lost.
    fn of_this_run(&self) -> impl Iterator<Item = Said> {
        self.mail.iter().cloned().chain(self.summary()).map(Said::Text)
    }

    /// Notes what was done in a round.
    fn note(&mut self, answer: &Turn, told: &[Said]) {
        let texts = told.iter().filter_map(Said::text);
        self.mail.extend(texts.filter(|text| !is_reminder(text)).map(str::to_owned));
        self.lines.note(answer.parts(), told);
    }

    /// The session as it is to be kept from now on, with what is left of this run in it: its
    /// turns, each with the fingerprint of what stands before it.
    pub fn kept(&self, turns: &[(Turn, u64)], opening: &Opening, model: &str) -> Vec<Kept> {
        let earlier = (!self.earlier.is_empty()).then(|| Kept::Summary(self.earlier.clone()));
        let mut said = opening.said.clone();
        said.extend(self.of_this_run());
        let gist = [&opening.gist, self.lines.all()].concat();
        let opening = Kept::Prompt(Opening { said, gist, ..opening.clone() });
        let rounds = turns.iter().skip(1).map(|(turn, behind)| match turn {
            Turn::Told(said) => Kept::Told(said.clone()),
            Turn::Answered(parts) => {
                let (parts, model) = (parts.clone(), model.to_owned());
                Kept::Answered { parts, model, tokens: None, behind: Some(*behind) }
            }
        });
        // Of a run in which nothing has happened yet nothing is kept.
        let this = (turns.len() > 1).then(|| [opening].into_iter().chain(rounds));
        earlier.into_iter().chain(this.into_iter().flatten()).collect()
    }
}

fn shorten_results(turn: &mut Turn) {
    let Turn::Told(said) = turn else { return };
    for said in said {
        let Said::Result(result) = said else { continue };
        result.images.clear();
        if result.text.len() > KEPT_RESULT {
            let note = format!(
                "\n[of {} bytes the rest was left out, for want of room]",
                result.text.len()
            );
            let end = result.text.floor_char_boundary(KEPT_RESULT - note.len());
            result.text.truncate(end);
            result.text.push_str(&note);
        }
    }
}

/// How long a conversation is, in bytes.
pub fn size(turns: &[Turn]) -> usize {
    let said = |said: &Said| match said {
        Said::Text(text) => text.len(),
        Said::Result(result) => {
            result.text.len() + result.images.iter().map(|image| image.data.len()).sum::<usize>()
        }
    };
    let part = |part: &Part| match part {
        Part::Text(text) | Part::Hidden(text) => text.len(),
        Part::Thinking { text, seal } => text.len() + seal.as_ref().map_or(0, String::len),
        Part::Call(call) => call.name.len() + call.arguments.len(),
    };
    let turn = |turn: &Turn| match turn {
        Turn::Told(all) => all.iter().map(said).sum::<usize>(),
        Turn::Answered(parts) => parts.iter().map(part).sum(),
    };
    turns.iter().map(turn).sum()
}

#[cfg(test)]
#[path = "tests/compact.rs"]
mod tests;
