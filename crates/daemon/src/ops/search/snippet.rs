//! The part of a text around what was found in it.

use agent_worker_protocol::Span;

use crate::rows::search::text::{folded, is_unspaced};

/// How many characters of a text are shown.
const LENGTH: usize = 160;

/// How many of them come before what was found.
const BEFORE: usize = 40;

/// How much of a text is looked at at once, in bytes, and how far a word may reach beyond it.
const WINDOW: usize = 8192;

const OVERLAP: usize = 256;

/// What is shown where it stands: a word, the beginning of one, or a run of signs.
#[derive(Debug, Clone)]
pub struct Mark {
    chars: Vec<char>,
    is_beginning: bool,
}

impl Mark {
    /// A mark for this word or run.
    pub fn new(text: &str, is_beginning: bool) -> Self {
        Self { chars: text.chars().flat_map(folded).collect(), is_beginning }
    }

    /// Whether it stands at this place of a folded text.
    fn is_at(&self, text: &[(char, usize)], at: usize) -> bool {
        let end = at + self.chars.len();
        let is_same = end <= text.len()
            && text[at..end].iter().zip(&self.chars).all(|((c, _), own)| c == own);
        if !is_same || self.chars.first().is_some_and(|c| is_unspaced(*c)) {
            return is_same;
        }
        let is_part =
            |at: usize| text.get(at).is_some_and(|(c, _)| c.is_alphanumeric() && !is_unspaced(*c));
        let begins = at == 0 || !is_part(at - 1);
        begins && (self.is_beginning || !is_part(end))
    }
}

/// A text as it is compared, each character with the place in the text that it comes from.
fn fold(text: &str) -> Vec<(char, usize)> {
    text.char_indices().flat_map(|(at, c)| folded(c).map(move |c| (c, at))).collect()
}

/// Where the first of these stands, in bytes.
pub fn first(text: &str, marks: &[Mark]) -> Option<usize> {
    let mut start = 0;
    while start < text.len() {
        let end = text.ceil_char_boundary(start + WINDOW);
        let beyond = text.ceil_char_boundary(end + OVERLAP);
        let folded = fold(&text[start..beyond]);
        let found = (0..folded.len()).find(|at| marks.iter().any(|mark| mark.is_at(&folded, *at)));
        if let Some(at) = found {
            return Some(start + folded[at].1);
        }
        start = end;
    }
    None
}

/// The part of a text around the first of these, in one line, and where in it they stand.
pub fn cut(text: &str, marks: &[Mark]) -> (String, Vec<Span>) {
    let found = if marks.is_empty() { None } else { first(text, marks) };
    let start = start_before(text, found.unwrap_or(0));
    let mut snippet = String::from(if start > 0 { "…" } else { "" });
    let mut count = 0;
    let mut is_space = true;
    let mut rest = text[start..].chars();
    for c in rest.by_ref() {
        let c = if c.is_whitespace() || c.is_control() { ' ' } else { c };
        if c == ' ' && is_space {
            continue;
        }
        is_space = c == ' ';
        snippet.push(c);
        count += 1;
        if count == LENGTH {
            break;
        }
    }
    snippet.truncate(snippet.trim_end().len());
    if !rest.as_str().trim().is_empty() {
        snippet.push('…');
    }
    let spans = spans(&snippet, marks);
    (snippet, spans)
}

/// Some characters before a place, where a word begins if one does.
fn start_before(text: &str, at: usize) -> usize {
    let before: Vec<usize> =
        text[..at].char_indices().rev().take(BEFORE).map(|(at, _)| at).collect();
    let Some(earliest) = before.last().copied().filter(|at| *at > 0) else { return 0 };
    let space = text[earliest..at].find(char::is_whitespace);
    space.map_or(earliest, |space| text.ceil_char_boundary(earliest + space + 1))
}

fn spans(snippet: &str, marks: &[Mark]) -> Vec<Span> {
    let folded = fold(snippet);
    let places: Vec<usize> = snippet.char_indices().map(|(at, _)| at).collect();
    let number =
        |byte: usize| u32::try_from(places.partition_point(|at| *at < byte)).unwrap_or(u32::MAX);
    let mut spans: Vec<Span> = Vec::new();
    let mut at = 0;
    while at < folded.len() {
        let found = marks.iter().filter(|mark| mark.is_at(&folded, at));
        match found.map(|mark| mark.chars.len()).max() {
            Some(length) if length > 0 => {
                let last = folded[at + length - 1].1;
                spans.push(Span { start: number(folded[at].1), end: number(last) + 1 });
                at += length;
            }
            _ => at += 1,
        }
    }
    spans
}

#[cfg(test)]
#[path = "tests/snippet.rs"]
mod tests;
