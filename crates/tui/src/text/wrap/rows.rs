//! Rows and texts laid out in lines.

use std::ops::Range;

use agent_worker_client::Clean;

use super::breaker::{Lines, Measure, continues, tab};
use crate::{
    cells,
    paint::{Ink, Row},
    theme::Role,
};

/// Lays rows out in at most this many cells. Rows that continue another are indented by `hang`;
/// line breaks in the text are kept.
pub fn wrap(rows: &[Row], width: usize, hang: usize) -> Vec<Row> {
    rows.iter().flat_map(|row| wrap_row(row, width, hang)).collect()
}

/// Lays one row out in at most this many cells; what continues it is indented by `hang`.
pub fn wrap_row(row: &Row, width: usize, hang: usize) -> Vec<Row> {
    let text = row.text();
    let measure = Measure::new(width, hang);
    let mut seams = Vec::with_capacity(row.spans.len());
    let mut end = 0;
    for (piece, _) in &row.spans {
        end += piece.as_str().len();
        seams.push(end);
    }
    let rows: Vec<Row> = Lines::from(&text, &seams, measure, 0)
        .map(|line| {
            let indent = if continues(&text, line.start) { measure.hang } else { 0 };
            let mut out = Row::new().pad(indent.min(width));
            copy(row, &seams, line, &mut out);
            // A character that is wider than the whole line is all that can still be too much.
            out.cut(width, "")
        })
        .collect();
    if rows.is_empty() { vec![Row::new()] } else { rows }
}

/// The first of these rows of this width, up to the most; a text that is cut ends in the ellipsis.
pub fn capped(mut rows: Vec<Row>, width: usize, most: usize, ellipsis: &'static str) -> Vec<Row> {
    if rows.len() > most {
        rows.truncate(most);
        let room = width.saturating_sub(cells::width(ellipsis));
        let last = rows.pop().map(|last| last.cut(room, "").with(ellipsis, Role::Text));
        rows.extend(last);
    }
    rows
}

/// Adds a line of a row whose pieces end at these seams.
fn copy(row: &Row, seams: &[usize], line: Range<usize>, out: &mut Row) {
    let mut index = seams.partition_point(|end| *end <= line.start);
    let mut at = line.start;
    while at < line.end {
        let (text, role) = &row.spans[index];
        let offset = seams[index] - text.as_str().len();
        let end = line.end.min(seams[index]);
        push(out, &text.as_str()[at - offset..end - offset], *role);
        at = end;
        index += 1;
    }
}

/// Adds a part of a clean text, with its tabs as spaces up to the next multiple of four.
fn push(out: &mut Row, text: &str, role: Role) {
    if !text.contains('\t') {
        return out.push(Ink::part(text), role);
    }
    let mut column = out.width();
    let mut spread = String::with_capacity(text.len() + 8);
    for (index, part) in text.split('\t').enumerate() {
        if index > 0 {
            let gap = tab(column);
            spread.extend(std::iter::repeat_n(' ', gap));
            column += gap;
        }
        spread.push_str(part);
        column += cells::width(part);
    }
    out.push(Ink::part(&spread), role);
}

/// Where the lines of a text begin and end: found in one pass, so that only those rows need be
/// made that are seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Laid {
    lines: Vec<(u32, u32)>,
    measure: Measure,
    width: usize,
}

impl Laid {
    /// Lays a text out in at most this many cells; rows that continue another are indented by
    /// `hang`.
    pub fn new(text: &Clean, width: usize, hang: usize) -> Self {
        Self::over(text.as_str(), width, hang)
    }

    /// As [`Laid::new`], over a text that is known to be clean.
    pub(crate) fn over(text: &str, width: usize, hang: usize) -> Self {
        let measure = Measure::new(width, hang);
        let mut laid = Self { lines: Vec::new(), measure, width };
        laid.from(text, 0);
        laid
    }

    pub(crate) fn grow_over(&mut self, text: &str) {
        // The last line is open, and with it the end of the one before: what comes may widen or
        // narrow the character they part at.
        let kept = self.lines.len().saturating_sub(2);
        let start = self.lines.get(kept).map_or(0, |line| line.0 as usize);
        self.lines.truncate(kept);
        self.from(text, start);
    }

    fn from(&mut self, text: &str, start: usize) {
        let short = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let lines = Lines::from(text, &[], self.measure, start);
        self.lines.extend(lines.map(|line| (short(line.start), short(line.end))));
    }

    /// How many rows it takes.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The row that the byte at this place is in, or the last one before it.
    pub fn row_of(&self, at: usize) -> usize {
        self.lines.partition_point(|line| line.0 as usize <= at).saturating_sub(1)
    }

    /// Where the text of a row begins.
    pub fn start_of(&self, row: usize) -> Option<usize> {
        self.lines.get(row).map(|line| line.0 as usize)
    }

    /// Makes the rows in this range, as far as there are any, of the text that was laid out.
    pub fn rows(&self, text: &Clean, role: Role, range: Range<usize>) -> Vec<Row> {
        self.rows_over(text.as_str(), role, range)
    }

    pub(crate) fn rows_over(&self, text: &str, role: Role, range: Range<usize>) -> Vec<Row> {
        let end = range.end.min(self.lines.len());
        let lines = &self.lines[range.start.min(end)..end];
        lines.iter().map(|line| self.row(text, role, line.0 as usize..line.1 as usize)).collect()
    }

    fn row(&self, text: &str, role: Role, line: Range<usize>) -> Row {
        let indent = if continues(text, line.start) { self.measure.hang } else { 0 };
        let mut row = Row::new().pad(indent.min(self.width));
        push(&mut row, &text[line], role);
        row.cut(self.width, "")
    }
}

#[cfg(test)]
#[path = "../tests/wrap.rs"]
mod tests;
