//! What is new in a system prompt for a session that was given an earlier one.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use agent_worker_home::HomeFile;
use serde::{Deserialize, Serialize};

use super::home::{CUT, HOME};

/// Says that all that was told before is replaced.
const ALL: &str = "They have changed since your last run. These are all of them, and they take the \
                   place of the earlier ones.\n";

/// Says that only some of it is.
const SOME: &str = "Parts of them have changed since your last run. Each part that follows takes \
                    the place of the earlier one with its heading. All other parts still hold.\n";

/// Says that nothing of it is left.
const NONE: &str = "They no longer hold: you have none now.\n";

/// Says that a part is what was added to the file of a day.
const ADDED: &str = "(Only what was added to it. Its earlier lines still hold.)\n";

/// How much of the end of a file is found again in it, in bytes. A note of a run is about as long.
const END: usize = 400;

/// The heading of the agent's own system prompt, where it is one part of several.
const OWN: &str = "Before Your Home";

/// What a session was given last of its agent's system prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// Fingerprints of the parts by their headings, without the files of days
    parts: BTreeMap<String, u64>,
    /// The files of days by their dates, such as `2026-11-26`
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    days: BTreeMap<String, Day>,
}

impl Known {
    /// Returns what a session knows once it was given this.
    pub fn of(system: Option<&str>) -> Self {
        let mut known = Self::default();
        for part in parts(system.unwrap_or_default()) {
            if let Some(HomeFile::Day(date)) = part.file {
                known.days.insert(date.to_string(), Day::of(part.text));
            } else {
                known.parts.insert(part.heading.to_owned(), fingerprint(part.text));
            }
        }
        known
    }

    /// Returns what goes before the prompt of a session that knows this; `None` if nothing is new.
    pub fn news(&self, system: Option<&str>) -> Option<String> {
        let parts = parts(system.unwrap_or_default());
        let new: Vec<_> = parts.iter().filter_map(|part| self.new_in(part)).collect();
        let gone = self.gone(&parts);
        if new.is_empty() && gone.is_empty() {
            return None;
        }
        let is_all = new.len() == parts.len() && !new.iter().any(|part| part.is_added);
        let said = if parts.is_empty() {
            NONE
        } else if is_all {
            ALL
        } else {
            SOME
        };
        let gone = if is_all || gone.is_empty() {
            String::new()
        } else {
            format!("\nBut these no longer hold: {}.\n", gone.join(", "))
        };
        let new: Vec<_> = new.into_iter().map(|part| part.told(is_all)).collect();
        Some(format!("## Your Instructions\n\n{said}{gone}{}\n", new.concat()))
    }

    /// Lists the parts that the system prompt has no more. What a heartbeat checks is shown in
    /// heartbeats alone, and not gone elsewhere.
    fn gone(&self, parts: &[Part<'_>]) -> Vec<String> {
        let is_left = |heading: &str| parts.iter().any(|part| part.heading == heading);
        let is_shown_at_times = |heading: &str| file(heading) == Some(HomeFile::Heartbeat);
        let gone = self.parts.keys().map(String::as_str);
        let gone = gone.filter(|one| !is_left(one) && !is_shown_at_times(one));
        let told = |heading: &str| match heading {
            OWN => "what came before your home".to_owned(),
            heading => format!("\"{heading}\""),
        };
        gone.map(told).collect()
    }

    /// Returns what is new in a part; `None` if nothing is. Each run adds a note to the file of its
    /// day, so only what was added to that is told.
    fn new_in<'a>(&self, part: &Part<'a>) -> Option<Part<'a>> {
        let Some(HomeFile::Day(date)) = part.file else {
            let is_known = self.parts.get(part.heading) == Some(&fingerprint(part.text));
            return (!is_known).then_some(*part);
        };
        let known = self.days.get(&date.to_string());
        let Some(added) = known.and_then(|day| day.added(part.text)) else { return Some(*part) };
        let text = added.trim_matches('\n');
        (!text.is_empty()).then_some(Part { text, is_added: true, ..*part })
    }
}

/// What a session was given last of the file of a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Day {
    /// Length in bytes, as it was shown
    length: usize,
    /// Fingerprint of all of it
    all: u64,
    /// Fingerprint of its end
    end: u64,
}

impl Day {
    fn of(text: &str) -> Self {
        Self { length: text.len(), all: fingerprint(text), end: fingerprint(end(text)) }
    }

    /// Returns the lines that were added since. `None` if what is known is no longer in the text.
    fn added<'a>(&self, text: &'a str) -> Option<&'a str> {
        if let Some((known, rest)) = text.split_at_checked(self.length)
            && fingerprint(known) == self.all
            && (rest.is_empty() || rest.starts_with('\n'))
        {
            return Some(rest);
        }
        // The cut in a long file moves with each line that is added.
        if !text.lines().any(|line| line.starts_with(CUT)) {
            return None;
        }
        let mut ends = text.match_indices('\n').map(|(at, _)| at).chain([text.len()]);
        let known = ends.rfind(|at| fingerprint(end(&text[..*at])) == self.end)?;
        Some(&text[known..])
    }
}

/// A part of a system prompt: the agent's own, the head of its home, or a file.
#[derive(Clone, Copy)]
struct Part<'a> {
    heading: &'a str,
    file: Option<HomeFile>,
    text: &'a str,
    /// Whether the text is only what was added to it
    is_added: bool,
}

impl<'a> Part<'a> {
    fn of_home(section: &'a str) -> Self {
        let (heading, text) = section.split_once('\n').unwrap_or((section, ""));
        Self { heading, file: file(heading), text: text.trim_matches('\n'), is_added: false }
    }

    /// The agent's own system prompt has no heading where it comes first, as in a new session.
    fn told(&self, is_all: bool) -> String {
        let Self { heading, text, .. } = self;
        if is_all && *heading == OWN {
            format!("\n{text}\n")
        } else {
            let note = if self.is_added { ADDED } else { "" };
            format!("\n## {heading}\n\n{note}{text}\n")
        }
    }
}

/// Takes a system prompt apart. No file has a line that passes for a heading.
fn parts(system: &str) -> Vec<Part<'_>> {
    let (own, home) = system.split_at(system.rfind(HOME).unwrap_or(system.len()));
    let own = Some(own.trim_end()).filter(|own| !own.is_empty());
    let own = own.map(|text| Part { heading: OWN, file: None, text, is_added: false });
    let home = home.strip_prefix("## ").into_iter().flat_map(|home| home.split("\n## "));
    own.into_iter().chain(home.map(Part::of_home)).collect()
}

/// The file of a heading.
fn file(heading: &str) -> Option<HomeFile> {
    let (_, file) = heading.strip_suffix(')')?.rsplit_once(" (")?;
    file.parse().ok()
}

/// The end of a text, or all of it.
fn end(text: &str) -> &[u8] {
    &text.as_bytes()[text.len().saturating_sub(END)..]
}

fn fingerprint(text: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
