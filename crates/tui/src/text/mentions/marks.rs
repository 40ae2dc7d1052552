//! Which parts of a message are not plain text.

use std::ops::Range;

use agent_worker_protocol::{
    mention::{Aside, AsideKind, places},
    name::Name,
};

use crate::{
    paint::{Ink, Row},
    text::code::CODE,
    theme::Role,
};

/// Whom a message reaches, as the daemon resolved it.
#[derive(Debug, Clone, Copy)]
pub struct Reached<'a> {
    pub names: &'a [Name],
    /// Whether it names everyone
    pub all: bool,
    /// Who looks at it
    pub person: &'a Name,
}

/// Parts of a text with their roles, in order; a part without one is not shown.
pub(super) struct Marks(Vec<(Range<usize>, Option<Role>)>);

const STARS: &str = "**";
const RESOURCE: &str = "res_";

impl Marks {
    pub(super) fn of(text: &str, asides: &[Aside], reached: Reached<'_>) -> Self {
        let mut marks: Vec<_> = asides.iter().filter_map(|aside| inline(text, aside)).collect();
        marks.extend(named(text, reached));
        marks.extend(resources(text));
        sort_out(&mut marks);
        let strong = strong(text, asides, &marks);
        marks.extend(strong);
        sort_out(&mut marks);
        Self(marks)
    }

    /// A part of the text in which no line ends.
    pub(super) fn row(&self, text: &str, range: Range<usize>) -> Row {
        let mut row = Row::new();
        let mut at = range.start;
        let first = self.0.partition_point(|(mark, _)| mark.end <= range.start);
        for (mark, role) in &self.0[first..] {
            if mark.start >= range.end {
                break;
            }
            let (start, end) = (mark.start.max(at), mark.end.min(range.end));
            row.push(Ink::part(&text[at..start]), Role::Text);
            if let Some(role) = role {
                row.push(Ink::part(&text[start..end]), *role);
            }
            at = end;
        }
        row.push(Ink::part(&text[at..range.end]), Role::Text);
        row
    }
}

/// Of marks that overlap, the first stays.
fn sort_out(marks: &mut Vec<(Range<usize>, Option<Role>)>) {
    marks.sort_by_key(|(mark, _)| mark.start);
    let mut end = 0;
    marks.retain(|(mark, _)| {
        let is_free = mark.start >= end;
        if is_free {
            end = mark.end;
        }
        is_free
    });
}

fn inline(text: &str, aside: &Aside) -> Option<(Range<usize>, Option<Role>)> {
    let range = aside.range.clone();
    match aside.kind {
        AsideKind::Code => Some((range, Some(CODE))),
        AsideKind::Url => {
            let before = &text[..range.start];
            let scheme = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric()).len();
            Some((scheme..range.end, Some(Role::Link)))
        }
        AsideKind::Fenced | AsideKind::Quoted => None,
    }
}

fn named(text: &str, reached: Reached<'_>) -> Vec<(Range<usize>, Option<Role>)> {
    let mark = |name: &str| match name {
        "all" => reached.all.then_some(Role::Strong),
        name if name == reached.person.as_str() => Some(Role::Named),
        _ => Some(Role::Strong),
    };
    let places = places(text, reached.names).into_iter().filter(|place| place.is_speech);
    places.filter_map(|place| Some((place.range, Some(mark(&place.name)?)))).collect()
}

fn resources(text: &str) -> Vec<(Range<usize>, Option<Role>)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let found = text.match_indices(RESOURCE).filter_map(|(at, _)| {
        let digits = text[at + RESOURCE.len()..].bytes().take_while(u8::is_ascii_digit).count();
        let end = at + RESOURCE.len() + digits;
        let is_id =
            digits > 0 && !text[..at].ends_with(is_word) && !text[end..].starts_with(is_word);
        is_id.then_some((at..end, Some(Role::Link)))
    });
    found.collect()
}

/// What stands between two pairs of stars on one line. The stars are not shown.
fn strong(
    text: &str,
    asides: &[Aside],
    marks: &[(Range<usize>, Option<Role>)],
) -> Vec<(Range<usize>, Option<Role>)> {
    let is_taken = |at: usize| {
        let mark = marks.partition_point(|(mark, _)| mark.end <= at);
        let aside = asides.partition_point(|aside| aside.range.end <= at);
        marks.get(mark).is_some_and(|(mark, _)| mark.start <= at)
            || asides.get(aside).is_some_and(|aside| aside.range.start <= at)
    };
    let mut out = Vec::new();
    let mut open: Option<usize> = None;
    for (at, _) in text.match_indices(STARS).filter(|(at, _)| !is_taken(*at)) {
        let inner = open.map(|start| &text[start + STARS.len()..at]);
        match (open, inner) {
            (Some(start), Some(inner)) if is_strong(inner) => {
                out.push((start..start + STARS.len(), None));
                out.extend(between(start + STARS.len()..at, marks));
                out.push((at..at + STARS.len(), None));
                open = None;
            }
            _ => open = Some(at),
        }
    }
    out
}

fn is_strong(inner: &str) -> bool {
    let ends = |c: char| c.is_whitespace() || c == '*';
    !inner.is_empty() && !inner.contains('\n') && !inner.starts_with(ends) && !inner.ends_with(ends)
}

/// What other marks leave of a strong part.
fn between(
    range: Range<usize>,
    marks: &[(Range<usize>, Option<Role>)],
) -> Vec<(Range<usize>, Option<Role>)> {
    let mut out = Vec::new();
    let mut at = range.start;
    let first = marks.partition_point(|(mark, _)| mark.end <= range.start);
    let inside = marks[first..].iter().take_while(|(mark, _)| mark.start < range.end);
    for (mark, _) in inside {
        out.push((at..mark.start.max(at), Some(Role::Strong)));
        at = mark.end;
    }
    out.push((at.min(range.end)..range.end, Some(Role::Strong)));
    out.retain(|(part, _)| !part.is_empty());
    out
}
