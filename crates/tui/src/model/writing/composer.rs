//! The rows of the line where is written, and of the box it becomes.

use std::cmp::Ordering;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use super::drafts::offset;
use crate::{
    model::{Model, needs, refusal},
    paint::Row,
    text::wrap,
    theme::Role,
};

/// The most rows of a text that are shown while it is written.
const MOST_WRITTEN: u16 = 7;

/// About how many rows are laid out of a long line, before the caret and behind it: more than are
/// shown, also where a character is made of several.
const MOST_LAID: usize = 64;

/// The most rows that a refusal takes, the reason of a failed setup, or what is asked.
const MOST: usize = 4;

/// How many rows it takes while nothing is written.
pub fn height(model: &Model) -> u16 {
    let rows = failed(model).len() + refused(model).len().max(asked(model).len()).max(1);
    u16::try_from(rows).unwrap_or(1)
}

/// Rows of the box while it is open: the rule, and one line until the text needs more.
pub fn open_height(model: &Model) -> u16 {
    let width = usize::from(model.display.size.0.saturating_sub(2)).max(2);
    let most = usize::from(MOST_WRITTEN);
    let written = &model.writing.composer;
    let (rows, _) = first_rows(written.area.lines(), written.caret(), width, most);
    u16::try_from(rows.len()).unwrap_or(u16::MAX).clamp(1, MOST_WRITTEN) + 1
}

/// Why nothing is live any more and what helps: that is told whole, while there is an old picture.
pub fn refused(model: &Model) -> Vec<Row> {
    let Some(error) = refusal::of(model).filter(|_| model.has_picture()) else { return Vec::new() };
    whole(model, &refusal::sentence(model, error))
}

/// Why the setup of the shown workflow failed. It stands above the line in each place of the
/// workflow and of its agents, so that it is read without a key.
pub fn failed(model: &Model) -> Vec<Row> {
    let scope = model.place.subject.scope().filter(|_| refusal::of(model).is_none());
    match scope.and_then(|scope| needs::failed_setup(model, scope)) {
        Some(reason) => whole(model, &format!("failed: {reason}")),
        None => Vec::new(),
    }
}

/// A text behind the sign of a failure, with as many rows as it needs up to the most.
fn whole(model: &Model, text: &str) -> Vec<Row> {
    let row = Row::of(" ", Role::Text).with(model.symbols().failed, Role::Failed);
    let row = row.with(format!(" {text}"), Role::Text);
    let width = usize::from(model.display.size.0.saturating_sub(1));
    wrap::capped(wrap::wrap_row(&row, width, 3), width, MOST, model.symbols().ellipsis)
}

/// What is asked before something is done, and behind it the keys that answer it, in as many rows
/// as it needs up to the most. What it says is cut, never the keys.
pub fn asked(model: &Model) -> Vec<Row> {
    let Some(question) = &model.prompt.question else { return Vec::new() };
    let keys = Row::of("   y ", Role::Accent)
        .with(question.yes, Role::Text)
        .with("   n ", Role::Accent)
        .with("keep", Role::Text);
    let width = usize::from(model.display.size.0).saturating_sub(keys.width());
    let text = Row::of(" ", Role::Text).with(question.text.clone(), Role::Strong);
    let rows = wrap::wrap_row(&text, width, 1);
    let mut rows = wrap::capped(rows, width, MOST, model.symbols().ellipsis);
    if let Some(last) = rows.last_mut() {
        last.append(keys);
    }
    rows
}

/// The part of a line that is laid out around one of its characters, and the number of the part's
/// first character. It begins where a row of plain text does, so that such rows stay as they are.
fn around(line: &str, number: usize, width: usize) -> (&str, usize) {
    let step = width * MOST_LAID;
    let first = (number / step).saturating_sub(1) * step;
    let rest = &line[offset(line, first)..];
    (&rest[..offset(rest, number + step - first)], first)
}

/// The lines around the caret, broken at the right edge, and where in them the caret is: column and
/// row. No others are ever shown, and a text may have a hundred thousand, or one of a megabyte.
pub fn laid(
    lines: &[String],
    caret: (usize, usize),
    width: usize,
) -> (Vec<String>, (usize, usize)) {
    first_rows(lines, caret, width, usize::MAX)
}

/// The same, but for rows behind the first `most`: how high the box is follows from these.
fn first_rows(
    lines: &[String],
    caret: (usize, usize),
    width: usize,
    most: usize,
) -> (Vec<String>, (usize, usize)) {
    let mut rows = Vec::new();
    let mut at = (0, 0);
    let near = usize::from(MOST_WRITTEN);
    let shown = lines.iter().enumerate().take(caret.0 + near + 1);
    for (number, line) in shown.skip(caret.0.saturating_sub(near)) {
        let length = line.chars().count();
        let nearest = match number.cmp(&caret.0) {
            Ordering::Less => length,
            Ordering::Equal => caret.1.min(length),
            Ordering::Greater => 0,
        };
        let (line, mut index) = around(line, nearest, width);
        let mut row = String::new();
        let mut used = 0;
        for part in line.graphemes(true) {
            let shown = if part == "\t" { "    " } else { part };
            let cells = shown.width();
            if used + cells > width {
                rows.push(std::mem::take(&mut row));
                used = 0;
            }
            if rows.len() >= most {
                return (rows, at);
            }
            let after = index + part.chars().count();
            if number == caret.0 && (index..after).contains(&caret.1) {
                at = (used, rows.len());
            }
            row.push_str(shown);
            used += cells;
            index = after;
        }
        if number == caret.0 && caret.1 >= length {
            if used >= width {
                rows.push(std::mem::take(&mut row));
                used = 0;
            }
            at = (used, rows.len());
        }
        rows.push(row);
    }
    (rows, at)
}

#[cfg(test)]
#[path = "tests/composer.rs"]
mod tests;
