//! What differs between two texts, line by line, with the lines around it.

use std::ops::Range;

use agent_worker_client::{
    LOOK_ALIKE,
    clean::{lines, shown},
    look_alike,
    text::numbers,
};
use similar::{Algorithm, ChangeTag, DiffOp, TextDiff, capture_diff_slices, group_diff_ops};

use super::wrap::wrap_row;
use crate::{
    cells,
    paint::{Ink, Row},
    symbols::Symbols,
    theme::Role,
};

/// How many lines are shown on both sides of what differs.
const CONTEXT: usize = 3;

/// How much is done at most, so that no text holds the screen up.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    /// If more lines lie between the first and the last that differ, they are one change
    compared: usize,
    /// Words are compared in changes of at most this many bytes
    words: usize,
    /// Most lines that are shown
    shown: usize,
    /// Of each line so much
    cells: usize,
}

const BOUNDS: Bounds = Bounds { compared: 50_000, words: 8192, shown: 20_000, cells: 8192 };

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diff {
    pub rows: Vec<Row>,
    /// The rows in which its parts begin
    pub parts: Vec<usize>,
    /// How many lines are new
    pub added: usize,
    /// How many lines are gone
    pub removed: usize,
}

impl Diff {
    /// How much differs: `+18 −4`.
    pub fn summary(&self, symbols: &Symbols) -> String {
        format!("+{} {}{}", count(self.added), symbols.minus, count(self.removed))
    }
}

/// From how many cells on the two texts stand beside each other.
pub const BESIDE: usize = 90;

/// What differs between two texts, in rows of at most this many cells. The sign of a line stands
/// in its first column, and the words that differ stand out of a line that has changed. Where there
/// is room, what was stands at the left and what is at the right. Texts are compared as they are
/// stored, and cleaned line by line where they are shown.
pub fn diff(old: &str, new: &str, symbols: &'static Symbols, width: usize) -> Diff {
    let is_beside = width >= BESIDE;
    let sheet = Sheet { symbols, width, is_beside, bounds: BOUNDS };
    compare(old, new, sheet, CONTEXT)
}

fn count(count: usize) -> String {
    numbers::count(i64::try_from(count).unwrap_or(i64::MAX))
}

#[derive(Debug, Clone, Copy)]
struct Sheet {
    symbols: &'static Symbols,
    width: usize,
    /// Whether the texts stand beside each other
    is_beside: bool,
    bounds: Bounds,
}

fn compare(old: &str, new: &str, sheet: Sheet, context: usize) -> Diff {
    let (old, new) = (lines(old), lines(new));
    let ops = changes(&old, &new, sheet.bounds.compared);
    let mut writer = Writer { old: &old, new: &new, sheet, diff: Diff::default(), shown: 0 };
    for op in ops.iter().filter(|op| !is_equal(op)) {
        writer.diff.added += op.new_range().len();
        writer.diff.removed += op.old_range().len();
    }
    for part in group_diff_ops(ops, context) {
        writer.part(&part);
    }
    writer.end()
}

struct Writer<'a> {
    old: &'a [&'a str],
    new: &'a [&'a str],
    sheet: Sheet,
    diff: Diff,
    shown: usize,
}

impl Writer<'_> {
    /// Lines that differ, with those around them.
    fn part(&mut self, ops: &[DiffOp]) {
        let (Some(first), Some(last)) = (ops.first(), ops.last()) else { return };
        if self.shown >= self.sheet.bounds.shown {
            return;
        }
        let old = first.old_range().start..last.old_range().end;
        let new = first.new_range().start..last.new_range().end;
        self.diff.parts.push(self.diff.rows.len());
        let heading = format!("@@ -{} +{} @@", place(&old), place(&new));
        let heading = Row::of(heading, Role::Accent);
        self.diff.rows.push(heading.cut(self.sheet.width, self.sheet.symbols.ellipsis));
        for op in ops {
            self.op(op);
            self.note(op);
        }
    }

    fn op(&mut self, op: &DiffOp) {
        let (old, new) = (&self.old[op.old_range()], &self.new[op.new_range()]);
        let room = self.sheet.bounds.shown.saturating_sub(self.shown);
        let plain = |lines: &[&str], tag| -> Vec<Vec<Row>> {
            let lines = lines.iter().copied().take(room).map(shown);
            lines.map(|line| self.line(tag, [(false, line.as_str())])).collect()
        };
        if is_equal(op) {
            let lines = plain(old, ChangeTag::Equal);
            return self.write(lines.clone(), lines, true);
        }
        let size: usize = old.iter().chain(new).map(|line| line.len()).sum();
        if old.is_empty() || new.is_empty() || size > self.sheet.bounds.words {
            let lines = (plain(old, ChangeTag::Delete), plain(new, ChangeTag::Insert));
            return self.write(lines.0, lines.1, false);
        }
        let old: Vec<String> = old.iter().copied().map(shown).collect();
        let new: Vec<String> = new.iter().copied().map(shown).collect();
        let old: Vec<&str> = old.iter().map(String::as_str).collect();
        let new: Vec<&str> = new.iter().map(String::as_str).collect();
        let (old_len, new_len) = (old.len(), new.len());
        let all = DiffOp::Replace { old_index: 0, old_len, new_index: 0, new_len };
        let (mut gone, mut come) = (Vec::new(), Vec::new());
        for change in TextDiff::from_slices(&old, &new).iter_inline_changes(&all) {
            let line = self.line(change.tag(), change.values().iter().copied());
            if change.tag() == ChangeTag::Delete { gone.push(line) } else { come.push(line) }
        }
        self.write(gone, come, false);
    }

    /// Says below lines that differ if some of them look the same.
    fn note(&mut self, op: &DiffOp) {
        let most = self.sheet.bounds.shown;
        let old = self.old[op.old_range()].iter().copied().take(most);
        let new = self.new[op.new_range()].iter().copied().take(most);
        if !is_equal(op) && self.shown < most && look_alike(old, new) {
            let note = Row::of(format!("\\ {LOOK_ALIKE}"), Role::Dim);
            self.diff.rows.extend(wrap_row(&note, self.sheet.width, 1));
        }
    }

    /// Writes lines, each in its rows: below each other, or those that are gone beside those that
    /// have come.
    fn write(&mut self, gone: Vec<Vec<Row>>, come: Vec<Vec<Row>>, is_equal: bool) {
        let room = self.sheet.bounds.shown.saturating_sub(self.shown);
        if !self.sheet.is_beside {
            let come = if is_equal { Vec::new() } else { come };
            let lines = gone.into_iter().chain(come).take(room);
            for line in lines {
                self.shown += 1;
                self.diff.rows.extend(line);
            }
            return;
        }
        let sign = format!(" {} ", self.sheet.symbols.vertical);
        let at = self.line_width();
        for number in 0..gone.len().max(come.len()).min(room) {
            self.shown += 1;
            let (left, right) = (gone.get(number), come.get(number));
            let height = left.map_or(0, Vec::len).max(right.map_or(0, Vec::len));
            for y in 0..height {
                let mut row = left.and_then(|rows| rows.get(y)).cloned().unwrap_or_default();
                row.put(at, Ink::part(&sign), Role::Dim);
                row.append(right.and_then(|rows| rows.get(y)).cloned().unwrap_or_default());
                self.diff.rows.push(row);
            }
        }
    }

    /// How many cells a line has.
    fn line_width(&self) -> usize {
        if self.sheet.is_beside { (self.sheet.width - 3) / 2 } else { self.sheet.width }
    }

    /// The rows of a line in pieces, each with whether it is what differs in the line.
    fn line<'t>(
        &self,
        tag: ChangeTag,
        pieces: impl IntoIterator<Item = (bool, &'t str)>,
    ) -> Vec<Row> {
        let symbols = self.sheet.symbols;
        let (sign, role) = match tag {
            ChangeTag::Equal => (" ", Role::Text),
            ChangeTag::Insert => ("+", Role::Added),
            ChangeTag::Delete => (symbols.minus, Role::Removed),
        };
        let mut row = Row::of(sign, role);
        let (mut left, mut is_ended) = (self.sheet.bounds.cells, false);
        for (is_changed, text) in pieces {
            is_ended = text.ends_with('\n');
            let text = text.trim_end_matches('\n');
            let (end, cells) = cells::fitting(text, left);
            left -= cells;
            row.push(Ink::part(&text[..end]), if is_changed { Role::Strong } else { role });
            if end < text.len() {
                row.push(symbols.ellipsis, Role::Dim);
                left = 0;
            }
        }
        let width = self.line_width();
        let mut rows = wrap_row(&row, width, 1);
        if !is_ended {
            let note = Row::of("\\ no line break at the end", Role::Dim);
            rows.push(note.cut(width, symbols.ellipsis));
        }
        rows
    }

    fn end(mut self) -> Diff {
        let (shown, all) = (self.shown, self.diff.added + self.diff.removed);
        if shown >= self.sheet.bounds.shown && all > 0 {
            let more = format!("{} not all is shown", self.sheet.symbols.ellipsis);
            let more = Row::of(more, Role::Dim);
            self.diff.rows.push(more.cut(self.sheet.width, self.sheet.symbols.ellipsis));
        }
        self.diff
    }
}

fn is_equal(op: &DiffOp) -> bool {
    matches!(op, DiffOp::Equal { .. })
}

/// What became of the lines.
fn changes(old: &[&str], new: &[&str], compared: usize) -> Vec<DiffOp> {
    let same = |(old, new): &(&&str, &&str)| old == new;
    let before = old.iter().zip(new).take_while(same).count();
    let (old_rest, new_rest) = (&old[before..], &new[before..]);
    let after = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(same).count();
    let (old_len, new_len) = (old_rest.len() - after, new_rest.len() - after);
    if old_len + new_len <= compared {
        return capture_diff_slices(Algorithm::Myers, old, new);
    }
    vec![
        DiffOp::Equal { old_index: 0, new_index: 0, len: before },
        DiffOp::Replace { old_index: before, old_len, new_index: before, new_len },
        DiffOp::Equal { old_index: before + old_len, new_index: before + new_len, len: after },
    ]
}

/// A range of lines as patches have it.
fn place(lines: &Range<usize>) -> String {
    let first = if lines.is_empty() { lines.start } else { lines.start + 1 };
    format!("{first},{}", lines.len())
}

#[cfg(test)]
#[path = "tests/diff.rs"]
mod tests;
