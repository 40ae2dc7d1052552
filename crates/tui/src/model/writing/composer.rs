//! The rows of the line where is written, and of the box it becomes.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::{
    model::{Model, refusal},
    paint::Row,
    text::wrap,
    theme::Role,
};

/// The most rows of a text that are shown while it is written.
const MOST_WRITTEN: u16 = 7;

/// The most rows that a refusal takes.
const MOST: usize = 4;

/// How many rows it takes while nothing is written.
pub fn height(model: &Model) -> u16 {
    u16::try_from(refused(model).len()).unwrap_or(1).max(1)
}

/// Rows of the box while it is open: the rule, and one line until the text needs more.
pub fn open_height(model: &Model) -> u16 {
    let width = usize::from(model.display.size.0.saturating_sub(2)).max(2);
    let (rows, _) = laid(model.writing.composer.area.lines(), caret_of(model), width);
    u16::try_from(rows.len()).unwrap_or(u16::MAX).clamp(1, MOST_WRITTEN) + 1
}

/// Why nothing is live any more and what helps: that is told whole, while there is an old picture.
pub fn refused(model: &Model) -> Vec<Row> {
    let Some(error) = refusal::of(model).filter(|_| model.has_picture()) else { return Vec::new() };
    let row = Row::of(" ", Role::Text).with(model.symbols().failed, Role::Failed);
    let told = refusal::sentence(model, error);
    let row = row.with(format!(" {told}"), Role::Text);
    let width = usize::from(model.display.size.0.saturating_sub(1));
    wrap::wrap_row(&row, width, 3).into_iter().take(MOST).collect()
}

/// The line and the character that the caret is at.
pub fn caret_of(model: &Model) -> (usize, usize) {
    let caret = model.writing.composer.area.cursor();
    (caret.0, caret.1)
}

/// The lines around the caret, broken at the right edge, and where in them the caret is: column and
/// row. No others are ever shown, and a text may have a hundred thousand.
pub fn laid(
    lines: &[String],
    caret: (usize, usize),
    width: usize,
) -> (Vec<String>, (usize, usize)) {
    let mut rows = Vec::new();
    let mut at = (0, 0);
    let around = usize::from(MOST_WRITTEN);
    let shown = lines.iter().enumerate().take(caret.0 + around + 1);
    for (number, line) in shown.skip(caret.0.saturating_sub(around)) {
        let mut row = String::new();
        let mut used = 0;
        let mut index = 0;
        for part in line.graphemes(true) {
            let shown = if part == "\t" { "    " } else { part };
            let cells = shown.width();
            if used + cells > width {
                rows.push(std::mem::take(&mut row));
                used = 0;
            }
            let after = index + part.chars().count();
            if number == caret.0 && (index..after).contains(&caret.1) {
                at = (used, rows.len());
            }
            row.push_str(shown);
            used += cells;
            index = after;
        }
        if number == caret.0 && caret.1 >= line.chars().count() {
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
mod tests {
    use super::*;

    #[test]
    fn of_a_long_text_the_lines_around_the_caret_are_laid_out() {
        let lines: Vec<String> = (0..100_000).map(|line| format!("line {line}")).collect();
        for line in [0, 3, 50_000, 99_999] {
            let (rows, (column, row)) = laid(&lines, (line, 2), 80);
            assert_eq!((rows[row].as_str(), column), (lines[line].as_str(), 2));
            assert!((8..=15).contains(&rows.len()), "{}", rows.len());
            assert_eq!(row, line.min(7), "rows above the caret fill the box");
        }
    }
}
