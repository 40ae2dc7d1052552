//! What was done in turns that are gone, a line for each thing: enough to go on and to do nothing
//! twice.

use serde::{Deserialize, Serialize};

use crate::model::{Call, Part, Said, ToolResult};

/// How much is told of one thing that was done, of what came of it, and of all of them, in bytes.
const LINE: usize = 300;
const RESULT: usize = 120;
const LINES: usize = 12 << 10;

/// What a line about a message begins with; its number follows.
pub const MAIL: &str = "- msg_";

/// The lines, oldest first. Bounded, so that they never fill a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lines(Vec<String>);

impl Lines {
    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds an answer, with the results of its calls: they are in the turn behind it.
    pub fn note(&mut self, parts: &[Part], told: &[Said]) {
        let results: Vec<_> = told.iter().filter_map(Said::result).collect();
        self.add(parts.iter().filter_map(|part| line(part, &results)));
    }

    /// Adds lines.
    pub fn add(&mut self, lines: impl IntoIterator<Item = String>) {
        self.0.extend(lines);
        self.bound();
    }

    /// Each of them.
    pub fn all(&self) -> &[String] {
        &self.0
    }

    /// Leaves out the lines about messages.
    pub fn leave_out_mail(&mut self) {
        self.0.retain(|line| !line.starts_with(MAIL));
    }

    /// The newest that fit.
    fn bound(&mut self) {
        let mut room = LINES;
        let fits = |line: &&String| {
            let has_room = line.len() <= room;
            room = room.saturating_sub(line.len());
            has_room
        };
        let kept = self.0.iter().rev().take_while(fits).count();
        self.0.drain(..self.0.len() - kept);
    }

    /// Text for a model that has lost the older part of its own run.
    pub fn of_this_run(&self) -> String {
        format!(
            "## What you have done so far\n\nThis conversation became too long, and its older part \
             was left out. This is what you did in it, and it has had its effect. Go on from there; \
             what you need to see again, read again.\n\n{}\n",
            self.0.join("\n")
        )
    }

    /// Text for a model about earlier runs, whose messages may have been left out on purpose.
    pub fn of_earlier_runs(&self) -> String {
        let has_mail = self.0.iter().any(|line| line.starts_with(MAIL));
        let asked =
            if has_mail { "were asked and did" } else { "did, without what you were asked," };
        format!(
            "## What you did before\n\nOlder parts of this conversation were left out. This is what \
             you {asked} in them; all of it is over. What you need to see again, read again.\n\n{}\n",
            self.0.join("\n")
        )
    }
}

/// Line for a part of an answer.
fn line(part: &Part, results: &[&ToolResult]) -> Option<String> {
    match part {
        Part::Text(text) if text.trim().is_empty() => None,
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

/// The beginning of a text in a line, in quotes.
pub fn in_line(text: &str, most: usize) -> String {
    let text = text.trim();
    let end = text.floor_char_boundary(most);
    let rest = if end < text.len() { "…" } else { "" };
    format!("{:?}{rest}", &text[..end])
}
