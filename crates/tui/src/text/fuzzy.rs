//! Lines found by some of their letters.

use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{AtomKind, CaseMatching, Normalization, Pattern},
};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::{
    paint::{Ink, Row},
    theme::Role,
};

/// A line that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Which of the candidates
    pub index: usize,
    /// How well it fits; more is better
    pub score: u32,
    /// Which of its characters were looked for, in order, counted in clusters
    pub at: Vec<usize>,
}

/// The candidates in which the letters of every word of the query stand in order, the best first.
/// Those that fit equally well stay in the order they were given in: an empty query gives all of
/// them, so who puts recent ones first finds them first.
pub fn best<S: AsRef<str>>(query: &str, candidates: &[S]) -> Vec<Found> {
    let pattern = Pattern::new(query, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
    let mut config = Config::DEFAULT;
    config.prefer_prefix = true;
    let mut matcher = Matcher::new(config);
    let mut found = Vec::new();
    let (mut chars, mut indices) = (Vec::new(), Vec::new());
    for (index, candidate) in candidates.iter().enumerate() {
        indices.clear();
        let text = Utf32Str::new(candidate.as_ref(), &mut chars);
        let Some(score) = pattern.indices(text, &mut matcher, &mut indices) else { continue };
        indices.sort_unstable();
        indices.dedup();
        let at = indices.iter().filter_map(|at| usize::try_from(*at).ok()).collect();
        found.push(Found { index, score, at });
    }
    found.sort_by_key(|found| std::cmp::Reverse(found.score));
    found
}

/// Whether a text has a word between other words, and not as a part of one.
pub fn stands(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-';
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}

/// A line with the characters that were looked for told apart.
pub fn marked(text: &Ink, at: &[usize], role: Role) -> Row {
    let mut row = Row::new();
    let mut part = (String::new(), role);
    let mut next = at.iter().peekable();
    for (index, cluster) in text.as_str().graphemes(true).enumerate() {
        let is_found = next.next_if(|at| **at == index).is_some();
        let role = if is_found { Role::Match } else { role };
        if role != part.1 {
            row.push(Ink::part(&part.0), part.1);
            part = (String::new(), role);
        }
        part.0.push_str(cluster);
    }
    row.push(Ink::part(&part.0), part.1);
    row
}

#[cfg(test)]
#[path = "tests/fuzzy.rs"]
mod tests;
