//! What stands between signs in one line: strong and emphasised words, struck ones, links.

use std::ops::Range;

use agent_worker_protocol::Aside;

use crate::theme::Role;

/// What becomes of a part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Not,
    As(Role),
    /// Something else is shown in its place.
    Instead(&'static str, Role),
}

/// A part of a text.
pub(super) type Mark = (Range<usize>, Shown);

/// Of marks that overlap, the first stays.
pub(super) fn sort_out(marks: &mut Vec<Mark>) {
    marks.sort_by_key(|(mark, _)| mark.start);
    marks.dedup_by(|(mark, _), (kept, _)| mark.start < kept.end);
}

/// A sign that stands before words and behind them.
struct Pair(&'static str);

/// Around words that are struck. Only this sign is shown.
const STRUCK: &str = "~~";

/// Longer signs before those that they contain.
const PAIRS: [Pair; 5] = [Pair("**"), Pair("__"), Pair(STRUCK), Pair("*"), Pair("_")];

/// Where a text is taken already: by marks, in order, or because it is not speech.
struct Taken<'a> {
    marks: &'a [Mark],
    asides: &'a [Aside],
}

impl Taken<'_> {
    fn has(&self, at: usize) -> bool {
        let mark = self.marks.partition_point(|(mark, _)| mark.end <= at);
        let aside = self.asides.partition_point(|aside| aside.range.end <= at);
        self.marks.get(mark).is_some_and(|(mark, _)| mark.start <= at)
            || self.asides.get(aside).is_some_and(|aside| aside.range.start <= at)
    }
}

/// Adds the words between signs to the marks. What is marked already stays so.
pub(super) fn add(text: &str, asides: &[Aside], marks: &mut Vec<Mark>) {
    let links = links(text, &Taken { marks, asides });
    marks.extend(links.into_iter().flat_map(|link| link.marks(text, marks)).collect::<Vec<_>>());
    sort_out(marks);
    for pair in &PAIRS {
        let found = pair.marks(text, &Taken { marks, asides });
        if !found.is_empty() {
            marks.extend(found);
            sort_out(marks);
        }
    }
}

impl Pair {
    fn marks(&self, text: &str, taken: &Taken<'_>) -> Vec<Mark> {
        let mut out = Vec::new();
        let mut open: Option<usize> = None;
        let length = self.0.len();
        for (at, _) in text.match_indices(self.0).filter(|(at, _)| !taken.has(*at)) {
            match open {
                Some(start) if start + length > at => {}
                Some(start) if self.is_pair(text, start, at) => {
                    self.mark(start..at, taken.marks, &mut out);
                    open = None;
                }
                _ => open = Some(at),
            }
        }
        out
    }

    /// Whether the signs at these places belong together: on one line, with words right behind the
    /// first and right before the second. Single signs do not stand within a word besides, as those
    /// of `snake_case` and `2*x*y` do.
    fn is_pair(&self, text: &str, start: usize, end: usize) -> bool {
        let inner = &text[start + self.0.len()..end];
        let ends = |c: char| c.is_whitespace() || self.0.starts_with(c);
        let has_words = !inner.is_empty()
            && !inner.contains('\n')
            && !inner.starts_with(ends)
            && !inner.ends_with(ends);
        let in_word = |c: char| c.is_alphanumeric() || self.0.starts_with(c);
        let is_apart =
            !text[..start].ends_with(in_word) && !text[end + self.0.len()..].starts_with(in_word);
        has_words && (is_apart || self.0 == "**")
    }

    fn mark(&self, signs: Range<usize>, marks: &[Mark], out: &mut Vec<Mark>) {
        let inner = signs.start + self.0.len()..signs.end;
        let is_struck = self.0 == STRUCK;
        let role = if is_struck { Role::Dim } else { Role::Strong };
        let sign = if is_struck { Shown::As(role) } else { Shown::Not };
        out.push((signs.start..inner.start, sign));
        out.extend(between(inner.clone(), marks, role));
        out.push((inner.end..inner.end + self.0.len(), sign));
    }
}

/// A link: where its words and its address stand.
struct Link {
    start: usize,
    words: Range<usize>,
    address: Range<usize>,
}

impl Link {
    /// The words, then the address in brackets: a link hides nothing.
    fn marks(self, text: &str, marks: &[Mark]) -> Vec<Mark> {
        let mut out = vec![(self.start..self.words.start, Shown::Not)];
        if text[self.words.clone()] == text[self.address.clone()] {
            out.push((self.words.end..self.address.end + 1, Shown::Not));
            return out;
        }
        out.extend(between(self.words.clone(), marks, Role::Link));
        out.push((self.words.end..self.address.start, Shown::Instead(" (", Role::Dim)));
        out.extend(between(self.address.clone(), marks, Role::Link));
        out.push((self.address.end..self.address.end + 1, Shown::As(Role::Dim)));
        out
    }
}

/// `[words](address)`, of an image as well.
fn links(text: &str, taken: &Taken<'_>) -> Vec<Link> {
    let mut out = Vec::new();
    let mut from = 0;
    // The signs found last, so that each part of the text is looked through once.
    let (mut seen, mut begin, mut end) = (0, None, 0);
    for (middle, seam) in text.match_indices("](") {
        begin = text[seen..middle].rfind(['[', '\n']).map(|at| seen + at).or(begin);
        seen = middle;
        // A seam within the address of the link before begins nothing.
        let Some(open) = begin.filter(|at| *at >= from) else { continue };
        let address = middle + seam.len();
        if end < address {
            let Some(at) = text[address..].find([')', '\n', ' ']) else { break };
            end = address + at;
        }
        let is_link = text[open..].starts_with('[')
            && text[end..].starts_with(')')
            && open + 1 < middle
            && address < end
            && ![open, middle, middle + 1, end].iter().any(|at| taken.has(*at));
        if is_link {
            let start = open - usize::from(text[from..open].ends_with('!'));
            out.push(Link { start, words: open + 1..middle, address: address..end });
            from = end + 1;
        }
    }
    out
}

/// What other marks leave of a part.
fn between(range: Range<usize>, marks: &[Mark], role: Role) -> Vec<Mark> {
    let mut out = Vec::new();
    let mut at = range.start;
    let first = marks.partition_point(|(mark, _)| mark.end <= range.start);
    let inside = marks[first..].iter().take_while(|(mark, _)| mark.start < range.end);
    for (mark, _) in inside {
        out.push((at..mark.start.max(at), Shown::As(role)));
        at = mark.end;
    }
    out.push((at.min(range.end)..range.end, Shown::As(role)));
    out.retain(|(part, _)| !part.is_empty());
    out
}
