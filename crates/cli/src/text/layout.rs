//! Where text stands: tables, hanging indents, and lines that are not longer than the terminal.

use comfy_table::{Attribute, Cell, ContentArrangement, Table, presets};
use unicode_width::UnicodeWidthChar as _;
use unicode_width::UnicodeWidthStr as _;

/// Terminals with fewer columns are narrow.
const NARROW: usize = 60;

/// Longer words are broken in a table; numbers, states and most identifiers are shorter.
const WORD: usize = 12;

/// A table without borders under a dim header. Its cells are clean text. On a narrow terminal that
/// would break numbers and identifiers, each row is a list of its fields instead.
pub fn table(width: Option<usize>, header: &[&str], rows: Vec<Vec<String>>) -> String {
    if width.is_some_and(|width| width < NARROW && least_width(header, &rows) > width) {
        let record =
            |row: Vec<String>| fields(&header.iter().copied().zip(row).collect::<Vec<_>>());
        return rows.into_iter().map(record).collect::<Vec<_>>().join("\n\n");
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).force_no_tty().enforce_styling();
    table.style_text_only();
    if let Some(width) = width.and_then(|width| u16::try_from(width).ok()) {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    table.set_header(header.iter().map(|name| Cell::new(name).add_attribute(Attribute::Dim)));
    table.add_rows(rows);
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.trim_fmt()
}

/// The width of a table in which no short word is broken.
fn least_width(header: &[&str], rows: &[Vec<String>]) -> usize {
    let widest = |cell: &str| cell.split_whitespace().map(|word| word.width().min(WORD)).max();
    let column = |at: usize| {
        let cells = rows.iter().filter_map(|row| row.get(at)).map(String::as_str);
        std::iter::once(header[at]).chain(cells).filter_map(widest).max().unwrap_or(0)
    };
    (0..header.len()).map(|at| column(at) + 2).sum()
}

/// Lines `name  value`, the values under each other. Values that have several lines hang.
pub fn fields(pairs: &[(&str, String)]) -> String {
    let widest = pairs.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for (name, value) in pairs {
        let pad = " ".repeat(widest - name.width() + 2);
        let head = format!("{}{pad}", crate::text::dim(name));
        lines.push(hanging(&head, widest + 2, value, None));
    }
    lines.join("\n")
}

/// The same for those that have a value.
pub fn known_fields<const N: usize>(pairs: [(&str, Option<String>); N]) -> String {
    let known = pairs.into_iter().filter_map(|(name, value)| Some((name, value?)));
    fields(&known.collect::<Vec<_>>())
}

/// Text behind a head of this width; further lines stand under its first one. With a width, lines
/// are broken where they would be longer.
pub fn hanging(head: &str, head_width: usize, text: &str, width: Option<usize>) -> String {
    let room = width.map(|width| width.saturating_sub(head_width).max(20));
    let mut lines = text.lines().flat_map(|line| match room {
        Some(room) => wrapped(line, room),
        None => vec![line.to_owned()],
    });
    let mut out = format!("{head}{}", lines.next().unwrap_or_default()).trim_end().to_owned();
    for line in lines {
        out.push('\n');
        if !line.trim().is_empty() {
            out.push_str(&" ".repeat(head_width));
            out.push_str(line.trim_end());
        }
    }
    out
}

/// Breaks a line into lines of at most this many cells, at spaces if possible.
fn wrapped(line: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = line;
    while rest.width() > room {
        let end = breaking_place(rest, room);
        let (head, tail) = rest.split_at(end);
        lines.push(head.trim_end().to_owned());
        rest = tail.trim_start_matches(' ');
    }
    if !rest.is_empty() || lines.is_empty() {
        lines.push(rest.to_owned());
    }
    lines
}

/// After how many bytes a line is broken: behind the last space that fits, else where it is full.
fn breaking_place(line: &str, room: usize) -> usize {
    let mut used = 0;
    let mut after_space = None;
    let mut is_indent = true;
    for (at, c) in line.char_indices() {
        is_indent &= c == ' ';
        if c == ' ' && !is_indent {
            after_space = Some(at + 1);
        }
        used += c.width().unwrap_or(0);
        if used > room {
            // One character always goes, or this would never end.
            let first = line.chars().next().map_or(0, char::len_utf8);
            return after_space.unwrap_or(at.max(first));
        }
    }
    line.len()
}

#[cfg(test)]
#[path = "tests/layout.rs"]
mod tests;
