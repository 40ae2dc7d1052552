//! Room in a conversation that is too long for its model: old rounds become a list of what was
//! done in them, and long results their beginnings. The prompt and all mail stay word for word.

use crate::model::{Call, Part, Said, ToolResult, Turn};

/// Rounds of model and tools that stay as they are.
const KEPT_ROUNDS: usize = 2;

/// How much of a long result stays, in bytes.
const KEPT_RESULT: usize = 4 << 10;

/// How much is told of one thing that was done, of what came of it, and of all of them, in bytes.
const LINE: usize = 300;
const RESULT: usize = 120;
const LINES: usize = 12 << 10;

/// What was left out so far.
#[derive(Debug, Default)]
pub struct Compacted {
    /// What was done, in order
    lines: Vec<String>,
    /// Mail that came in rounds that are gone
    mail: Vec<String>,
}

impl Compacted {
    /// Makes a conversation shorter, and says whether that was possible.
    pub fn shorten(&mut self, turns: &mut Vec<Turn>) -> bool {
        let before = size(turns);
        self.drop_old_rounds(turns);
        if size(turns) > before / 2 {
            turns.iter_mut().for_each(shorten_results);
        }
        size(turns) < before
    }

    fn drop_old_rounds(&mut self, turns: &mut Vec<Turn>) {
        // After the prompt, each round has the model's turn and what it was told then.
        let rounds = turns.len().saturating_sub(1) / 2;
        let dropped = rounds.saturating_sub(KEPT_ROUNDS) * 2;
        if dropped == 0 {
            return;
        }
        let gone: Vec<_> = turns.drain(1..=dropped).collect();
        for round in gone.chunks(2) {
            self.note(round);
        }
        let Some(Turn::Told(first)) = turns.first_mut() else { return };
        first.truncate(1);
        first.extend(self.mail.iter().cloned().map(Said::Text));
        first.push(Said::Text(self.summary()));
    }

    /// Notes what was done in a round.
    fn note(&mut self, round: &[Turn]) {
        let told = round.iter().flat_map(|turn| match turn {
            Turn::Told(said) => said.as_slice(),
            Turn::Answered(_) => &[],
        });
        let results: Vec<&ToolResult> = told
            .clone()
            .filter_map(|said| match said {
                Said::Result(result) => Some(result),
                Said::Text(_) => None,
            })
            .collect();
        self.mail.extend(told.filter_map(|said| match said {
            Said::Text(text) => Some(text.clone()),
            Said::Result(_) => None,
        }));
        for turn in round {
            let Turn::Answered(parts) = turn else { continue };
            self.lines.extend(parts.iter().filter_map(|part| line(part, &results)));
        }
        let mut room = LINES;
        let fits = |line: &&String| {
            let has_room = line.len() <= room;
            room = room.saturating_sub(line.len());
            has_room
        };
        let kept = self.lines.iter().rev().take_while(fits).count();
        self.lines.drain(..self.lines.len() - kept);
    }

    fn summary(&self) -> String {
        format!(
            "## What you have done so far\n\nThis conversation became too long, and its older part \
             was left out. This is what you did in it, and it has had its effect. Go on from there; \
             what you need to see again, read again.\n\n{}\n",
            self.lines.join("\n")
        )
    }
}

/// What is told of a part of an answer.
fn line(part: &Part, results: &[&ToolResult]) -> Option<String> {
    match part {
        Part::Text(text) => Some(format!("- you said: {}", in_line(text, LINE))),
        Part::Call(Call { id, name, arguments, .. }) => {
            let result = results.iter().find(|result| result.id == *id);
            let told = result.map_or(String::new(), |result| in_line(&result.text, RESULT));
            let what = if result.is_some_and(|result| result.is_error) { "failed" } else { "gave" };
            Some(format!(
                "- you called {name} with {}, which {what}: {told}",
                in_line(arguments, LINE)
            ))
        }
        Part::Thinking { .. } | Part::Hidden(_) => None,
    }
}

fn in_line(text: &str, most: usize) -> String {
    let text = text.trim();
    let end = text.floor_char_boundary(most);
    let rest = if end < text.len() { "…" } else { "" };
    format!("{:?}{rest}", &text[..end])
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

fn size(turns: &[Turn]) -> usize {
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
mod tests {
    use super::*;

    fn text(text: &str) -> Said {
        Said::Text(text.to_owned())
    }

    fn call(n: usize) -> Turn {
        let arguments = format!("{{\"n\":{n}}}");
        Turn::Answered(vec![
            Part::Thinking { text: "so".to_owned(), seal: Some("x".to_owned()) },
            Part::Call(Call { id: n.to_string(), name: "read".to_owned(), arguments, seal: None }),
        ])
    }

    fn result(n: usize, long: usize) -> Said {
        Said::Result(ToolResult {
            id: n.to_string(),
            name: "read".to_owned(),
            text: format!("result {n} {}", "x".repeat(long)),
            images: Vec::new(),
            is_error: n == 1,
        })
    }

    /// A conversation of so many rounds, with mail in the second.
    fn conversation(rounds: usize, long: usize) -> Vec<Turn> {
        let mut turns = vec![Turn::Told(vec![text("the prompt")])];
        for n in 0..rounds {
            let mut told = vec![result(n, long)];
            told.extend((n == 1).then(|| text("new mail")));
            turns.extend([call(n), Turn::Told(told)]);
        }
        turns
    }

    #[test]
    fn old_rounds_become_a_list_and_mail_stays() {
        let mut turns = conversation(6, 3000);
        let kept = turns[9..].to_vec();
        let mut compacted = Compacted::default();
        assert!(compacted.shorten(&mut turns));
        assert_eq!(turns[1..], kept[..]);
        let Turn::Told(first) = &turns[0] else { panic!("{turns:?}") };
        let [Said::Text(prompt), Said::Text(mail), Said::Text(summary)] = &first[..] else {
            panic!("{first:?}")
        };
        assert_eq!((prompt.as_str(), mail.as_str()), ("the prompt", "new mail"));
        assert!(summary.contains(r#"- you called read with "{\"n\":1}", which failed: "result 1"#));
        assert!(!summary.contains(r#"{\"n\":4}"#), "{summary}");
        turns.extend(conversation(4, 3000).split_off(1));
        assert!(compacted.shorten(&mut turns));
        let Turn::Told(first) = &turns[0] else { panic!("{turns:?}") };
        assert_eq!(first.len(), 4, "{first:?}");
        assert_eq!(turns.len(), 5);
    }

    #[test]
    fn long_results_become_their_beginnings() {
        let mut turns = conversation(1, 60_000);
        let mut compacted = Compacted::default();
        assert!(compacted.shorten(&mut turns));
        assert!(size(&turns) < 4200);
        assert!(!compacted.shorten(&mut turns), "nothing is left to leave out");
        assert!(!Compacted::default().shorten(&mut conversation(0, 0)));
    }

    #[test]
    fn what_is_told_of_what_was_done_does_not_grow_for_ever() {
        let mut turns = conversation(3000, 400);
        assert!(Compacted::default().shorten(&mut turns));
        assert!(size(&turns) < LINES + 4000, "{}", size(&turns));
    }
}
