//! What is new in a system prompt for a session that was given an earlier one.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use agent_worker_home::HomeFile;
use serde::{Deserialize, Serialize};

use super::home::{HOME, TODAY};

/// Says that all that was told before is replaced.
const ALL: &str = "They have changed since your last run. These are all of them, and they take the \
                   place of the earlier ones.\n";

/// Says that only some of it is.
const SOME: &str = "Parts of them have changed since your last run. Each part that follows takes \
                    the place of the earlier one with its heading. All other parts still hold.\n";

/// Says that nothing of it is left.
const NONE: &str = "They no longer hold: you have none now.\n";

/// The heading of the agent's own system prompt, where it is one part of several.
const OWN: &str = "Before Your Home";

/// What a session was given last of its agent's system prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// Fingerprints of the parts by their headings, without the files of days
    parts: BTreeMap<String, u64>,
    /// Day that its home told, such as `2026-11-26`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    day: Option<String>,
}

impl Known {
    /// Returns what a session knows once it was given this.
    pub fn of(system: Option<&str>) -> Self {
        let mut known = Self::default();
        for part in parts(system.unwrap_or_default()) {
            known.day = known.day.or_else(|| part.today());
            if !matches!(part.file, Some(HomeFile::Day(_))) {
                known.parts.insert(part.heading.to_owned(), fingerprint(part.text));
            }
        }
        known
    }

    /// Returns what goes before the prompt of a session that knows this; `None` if nothing is new.
    pub fn news(&self, system: Option<&str>) -> Option<String> {
        let parts = parts(system.unwrap_or_default());
        let new: Vec<_> = parts.iter().filter(|part| !self.has(part)).collect();
        let gone = self.gone(&parts);
        if new.is_empty() && gone.is_empty() {
            return None;
        }
        let is_all = new.len() == parts.len();
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

    /// A session wrote in the file of its day itself, and each run adds a note to it: only a file
    /// of a later day is new.
    fn has(&self, part: &Part<'_>) -> bool {
        match part.file {
            Some(HomeFile::Day(date)) => {
                self.day.as_ref().is_some_and(|day| date.to_string() <= *day)
            }
            _ => self.parts.get(part.heading) == Some(&fingerprint(part.text)),
        }
    }
}

/// A part of a system prompt: the agent's own, the head of its home, or a file.
struct Part<'a> {
    heading: &'a str,
    file: Option<HomeFile>,
    text: &'a str,
}

impl<'a> Part<'a> {
    fn of_home(section: &'a str) -> Self {
        let (heading, text) = section.split_once('\n').unwrap_or((section, ""));
        Self { heading, file: file(heading), text: text.trim_matches('\n') }
    }

    /// Returns the day that the head of a home tells.
    fn today(&self) -> Option<String> {
        let is_head = self.file.is_none() && self.heading != OWN;
        let (_, day) = self.text.rsplit_once(TODAY).filter(|_| is_head)?;
        day.strip_suffix('.').map(str::to_owned)
    }

    /// The agent's own system prompt has no heading where it comes first, as in a new session.
    fn told(&self, is_all: bool) -> String {
        let Self { heading, text, .. } = self;
        if is_all && *heading == OWN {
            format!("\n{text}\n")
        } else {
            format!("\n## {heading}\n\n{text}\n")
        }
    }
}

/// Takes a system prompt apart. No file has a line that passes for a heading.
fn parts(system: &str) -> Vec<Part<'_>> {
    let (own, home) = system.split_at(system.rfind(HOME).unwrap_or(system.len()));
    let own = Some(own.trim_end()).filter(|own| !own.is_empty());
    let own = own.map(|text| Part { heading: OWN, file: None, text });
    let home = home.strip_prefix("## ").into_iter().flat_map(|home| home.split("\n## "));
    own.into_iter().chain(home.map(Part::of_home)).collect()
}

/// The file of a heading.
fn file(heading: &str) -> Option<HomeFile> {
    let (_, file) = heading.strip_suffix(')')?.rsplit_once(" (")?;
    file.parse().ok()
}

fn fingerprint(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
