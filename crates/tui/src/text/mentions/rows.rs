//! The rows of a message.

use std::ops::Range;

use agent_worker_client::Clean;
use agent_worker_protocol::{
    Aside, AsideKind, Fence, Name,
    mention::{self, asides},
};

use super::marks::{Marks, Reached};
use crate::{
    paint::{Ink, Row},
    symbols::Symbols,
    text::{
        code::Code,
        markdown::{self, Sheet},
        wrap::wrap_row,
    },
    theme::Role,
};

const CODE_INDENT: usize = 4;

/// A message's text in rows of at most this many cells.
pub fn rows(
    text: &Clean,
    reached: Reached<'_>,
    symbols: &'static Symbols,
    width: usize,
) -> Vec<Row> {
    let (text, sheet) = (text.as_str(), Sheet { width, symbols, wrap_code: true });
    let asides = asides(text);
    let marks = Marks::of(text, &asides, reached);
    let is_block = |aside: &&Aside| matches!(aside.kind, AsideKind::Fenced | AsideKind::Quoted);
    let blocks = asides.iter().filter(is_block);
    let mut blocks = blocks.map(|aside| (aside.range.start, aside.kind)).peekable();
    let (mut rows, mut at) = (Vec::new(), 0);
    let mut block = None;
    let mut table_end = 0;
    for line in text.split_inclusive('\n') {
        let kind = blocks.next_if(|(start, _)| *start == at).map(|(_, kind)| kind);
        let range = at..at + line.trim_end_matches('\n').len();
        at += line.len();
        if kind != Some(AsideKind::Fenced) {
            block = None;
        }
        if range.start < table_end {
            continue;
        }
        match kind {
            Some(AsideKind::Fenced) => rows.extend(fenced(&text[range], &mut block, width)),
            Some(AsideKind::Quoted) => {
                rows.extend(quoted(&text[range], reached.person, sheet));
            }
            _ => match table_at(&text[range.start..]) {
                Some(length) => {
                    table_end = range.start + length;
                    let table = Clean::text(&text[range.start..table_end]);
                    rows.extend(markdown::render(&table, sheet).rows);
                }
                None => rows.extend(spoken(text, range, &marks, sheet)),
            },
        }
    }
    rows
}

/// How long the table is that a text begins with, in bytes.
fn table_at(text: &str) -> Option<usize> {
    let mut lines = text.split_inclusive('\n');
    let (head, delimiters) = (lines.next()?, lines.next()?);
    if !head.contains('|') || !is_delimiter(delimiters) || columns(head) != columns(delimiters) {
        return None;
    }
    let body = lines.take_while(|line| line.contains('|'));
    Some(head.len() + delimiters.len() + body.map(str::len).sum::<usize>())
}

fn is_delimiter(line: &str) -> bool {
    let line = line.trim();
    line.contains('|') && line.contains('-') && line.chars().all(|c| "|-: ".contains(c))
}

fn columns(line: &str) -> usize {
    line.trim().trim_matches('|').split('|').count()
}

/// A line of a fenced block: its fences are not shown, but what is said about the code is.
fn fenced(line: &str, block: &mut Option<(Fence, Code)>, width: usize) -> Vec<Row> {
    let Some((fence, code)) = block else {
        let about = mention::bare(line).trim_start_matches(['`', '~']).trim();
        *block = Fence::opened_in_list_by(line).map(|fence| (fence, Code::of(about)));
        let row = Row::of(Ink::part(about), Role::Dim);
        return if row.width() > 0 { wrap_row(&row, width, 0) } else { Vec::new() };
    };
    if fence.is_closed_by(line) {
        *block = None;
        return Vec::new();
    }
    let row = code.row(line);
    beside(&Row::new().pad(CODE_INDENT.min(width / 2)), &row, width, 0)
}

/// A line that is quoted: it reaches no one, and looks otherwise like any line.
fn quoted(line: &str, person: &Name, Sheet { symbols, width, .. }: Sheet) -> Vec<Row> {
    let mut rest = line;
    let mut bar = Row::new();
    while let Some(inner) = rest.trim_start().strip_prefix('>') {
        if bar.width() + 2 <= width / 2 {
            bar = bar.with(symbols.quote, Role::Dim).pad(1);
        }
        rest = inner;
    }
    let said = rest.strip_prefix(' ').unwrap_or(rest);
    let reached = Reached { names: &[], all: false, person };
    let marks = Marks::of(said, &asides(said), reached);
    let (row, hang) = begun(said, 0..said.len(), &marks, symbols);
    beside(&bar, &plain_as(row, Role::Dim), width, hang)
}

fn spoken(text: &str, range: Range<usize>, marks: &Marks, sheet: Sheet) -> Vec<Row> {
    let (line, width, symbols) = (&text[range.clone()], sheet.width, sheet.symbols);
    if is_rule(line) {
        return vec![Row::of(Ink::part(&symbols.horizontal.repeat(width.min(RULE))), Role::Dim)];
    }
    if let Some(sign) = heading(line) {
        let row = marks.row(text, range.start + sign..range.end);
        return wrap_row(&plain_as(row, Role::Title), width, 0);
    }
    let (row, hang) = begun(text, range, marks, symbols);
    wrap_row(&row, width, hang)
}

/// A line with what its item of a list begins with, and how far its further rows are set in.
fn begun(text: &str, range: Range<usize>, marks: &Marks, symbols: &Symbols) -> (Row, usize) {
    let (item, hang) = item(&text[range.clone()], symbols);
    let start = range.start + item.as_ref().map_or(0, |(_, taken)| *taken);
    let row = item.map(|(row, _)| row).unwrap_or_default();
    (row.and(marks.row(text, start..range.end)), hang)
}

fn plain_as(mut row: Row, role: Role) -> Row {
    for span in row.spans.iter_mut().filter(|(_, role)| *role == Role::Text) {
        span.1 = role;
    }
    row
}

/// Cells of a line across.
const RULE: usize = 24;

/// Three or more of the same sign and nothing else.
fn is_rule(line: &str) -> bool {
    let line: String = line.split_whitespace().collect();
    line.len() >= 3 && ['-', '*', '_'].iter().any(|sign| line.chars().all(|c| c == *sign))
}

/// How long the signs of a heading are.
fn heading(line: &str) -> Option<usize> {
    let level = line.len() - line.trim_start_matches('#').len();
    let is_heading = (1..=6).contains(&level) && line[level..].starts_with(' ');
    is_heading.then(|| line.len() - line[level..].trim_start().len())
}

/// What begins an item of a list, how much of the line it is, and where the item's text begins.
fn item(line: &str, symbols: &Symbols) -> (Option<(Row, usize)>, usize) {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let rest = &line[indent..];
    if let Some(rest) = ["- ", "* ", "+ "].iter().find_map(|sign| rest.strip_prefix(sign)) {
        let boxes = [("[ ] ", symbols.no_vote), ("[x] ", symbols.vote), ("[X] ", symbols.vote)];
        let ticked = boxes.iter().find(|(sign, _)| rest.starts_with(sign));
        let (mark, taken) = ticked.map_or((symbols.bullet, 1), |(_, symbol)| (*symbol, 5));
        let row = Row::new().pad(indent).with(mark, Role::Text);
        let hang = row.width() + 1;
        return (Some((row, indent + taken)), hang);
    }
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let is_numbered = (1..=9).contains(&digits)
        && (rest[digits..].starts_with(". ") || rest[digits..].starts_with(") "));
    (None, if is_numbered { indent + digits + 2 } else { indent })
}

/// Lays a row out beside something that stands before each of its rows.
fn beside(before: &Row, row: &Row, width: usize, hang: usize) -> Vec<Row> {
    let room = width.saturating_sub(before.width());
    let rows = wrap_row(row, room, hang).into_iter();
    rows.map(|row| before.clone().and(row)).collect()
}

#[cfg(test)]
#[path = "../tests/mentions.rs"]
mod tests;
