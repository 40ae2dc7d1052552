//! Which parts of a message are not plain text.

use std::ops::Range;

use agent_worker_protocol::{Aside, AsideKind, Name, mention::places};

use super::inline::{self, Mark, Shown, sort_out};
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

/// Parts of a text that are not plain, in order.
pub(super) struct Marks(Vec<Mark>);

const RESOURCE: &str = "res_";

impl Marks {
    pub(super) fn of(text: &str, asides: &[Aside], reached: Reached<'_>) -> Self {
        let mut marks: Vec<_> = asides.iter().filter_map(|aside| inline(text, aside)).collect();
        marks.extend(named(text, reached));
        marks.extend(resources(text));
        sort_out(&mut marks);
        inline::add(text, asides, &mut marks);
        Self(marks)
    }

    /// A part of the text in which no line ends.
    pub(super) fn row(&self, text: &str, range: Range<usize>) -> Row {
        let mut row = Row::new();
        let mut at = range.start;
        let first = self.0.partition_point(|(mark, _)| mark.end <= range.start);
        for (mark, shown) in &self.0[first..] {
            if mark.start >= range.end {
                break;
            }
            let (start, end) = (mark.start.max(at), mark.end.min(range.end));
            row.push(Ink::part(&text[at..start]), Role::Text);
            match shown {
                Shown::Not => {}
                Shown::As(role) => row.push(Ink::part(&text[start..end]), *role),
                Shown::Instead(words, role) => row.push(*words, *role),
            }
            at = end;
        }
        row.push(Ink::part(&text[at..range.end]), Role::Text);
        row
    }
}

fn inline(text: &str, aside: &Aside) -> Option<Mark> {
    let range = aside.range.clone();
    match aside.kind {
        AsideKind::Code => Some((range, Shown::As(CODE))),
        AsideKind::Url => {
            let before = &text[..range.start];
            let scheme = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric()).len();
            Some((scheme..range.end, Shown::As(Role::Link)))
        }
        AsideKind::Fenced | AsideKind::Quoted => None,
    }
}

fn named(text: &str, reached: Reached<'_>) -> Vec<Mark> {
    let mark = |name: &str| match name {
        "all" => reached.all.then_some(Role::Strong),
        name if name == reached.person.as_str() => Some(Role::Named),
        _ => Some(Role::Strong),
    };
    let places = places(text, reached.names).into_iter().filter(|place| place.is_speech);
    places.filter_map(|place| Some((place.range, Shown::As(mark(&place.name)?)))).collect()
}

fn resources(text: &str) -> Vec<Mark> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let found = text.match_indices(RESOURCE).filter_map(|(at, _)| {
        let digits = text[at + RESOURCE.len()..].bytes().take_while(u8::is_ascii_digit).count();
        let end = at + RESOURCE.len() + digits;
        let is_id =
            digits > 0 && !text[..at].ends_with(is_word) && !text[end..].starts_with(is_word);
        is_id.then_some((at..end, Shown::As(Role::Link)))
    });
    found.collect()
}
