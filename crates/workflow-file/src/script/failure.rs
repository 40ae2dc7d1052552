//! The ways in which a scripted run fails.

use std::str::FromStr;

use agent_worker_protocol::{Interval, nearest::nearest};
use serde::Deserialize;

/// How a scripted run fails, written as a word and what belongs to it: `exit 3`, `flood 10MiB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Failure {
    /// The model is asked too often, and may say when to come back.
    RateLimited(Option<Interval>),
    /// Something that may go well the next time.
    Transient,
    /// Something that will not go well the next time either.
    Permanent,
    /// More text than the model takes.
    Overflow,
    /// The model cannot be reached.
    Unavailable,
    /// The worker ends with this exit code, without a report.
    Exit(u8),
    /// The worker goes on for ever, with signs of life.
    Hang,
    /// The worker dies of a signal.
    Crash,
    /// The worker ends as if all were well, but without its last report.
    Silent,
    /// The worker puts out this many bytes in one line, and ends.
    Flood(u64),
    /// The worker prints an invalid report, and ends.
    Garbage,
}

/// The words, each with its failure; what belongs to it is absent or 0.
pub(super) const KINDS: [(&str, Failure); 11] = [
    ("rate_limited", Failure::RateLimited(None)),
    ("transient", Failure::Transient),
    ("permanent", Failure::Permanent),
    ("overflow", Failure::Overflow),
    ("unavailable", Failure::Unavailable),
    ("exit", Failure::Exit(0)),
    ("hang", Failure::Hang),
    ("crash", Failure::Crash),
    ("silent", Failure::Silent),
    ("flood", Failure::Flood(0)),
    ("garbage", Failure::Garbage),
];

const UNITS: [(&str, u64); 4] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

impl FromStr for Failure {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let (word, rest) = (words.next().unwrap_or_default(), words.next());
        if words.next().is_some() {
            return Err(format!("`{text}` has extra words"));
        }
        match (word, rest) {
            ("rate_limited", Some(span)) => {
                let span = span.parse().map_err(|bad| format!("`rate_limited`: {bad}"))?;
                Ok(Self::RateLimited(Some(span)))
            }
            ("exit", code) => code
                .and_then(|code| code.parse().ok())
                .map(Self::Exit)
                .ok_or_else(|| "`exit` takes a code from 0 to 255, as in `exit 3`".to_owned()),
            ("flood", size) => size.and_then(size_of).map(Self::Flood).ok_or_else(|| {
                "`flood` takes a size, as in `flood 10MiB`, `flood 64KiB` or `flood 1000`"
                    .to_owned()
            }),
            (word, rest) => {
                let kind = KINDS.into_iter().find(|(known, _)| *known == word);
                let (_, failure) = kind.ok_or_else(|| unknown(word))?;
                rest.map_or(Ok(failure), |rest| {
                    Err(format!("`{word}` takes no value, found `{rest}`"))
                })
            }
        }
    }
}

fn unknown(word: &str) -> String {
    let words = KINDS.map(|(word, _)| word);
    let near = nearest(word, words).map(|near| format!("did you mean `{near}`? "));
    let words = words.map(|word| format!("`{word}`")).join(", ");
    format!("unknown failure `{word}`: {}failures are {words}", near.unwrap_or_default())
}

fn size_of(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = if unit.is_empty() { "B" } else { unit };
    let (_, factor) = UNITS.into_iter().find(|(name, _)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(factor)
}

impl TryFrom<String> for Failure {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

#[cfg(test)]
#[path = "tests/failure.rs"]
mod tests;
