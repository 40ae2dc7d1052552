//! Tables: columns side by side while they have room, else one line for each cell.

use pulldown_cmark::Alignment;

use super::page::Sheet;
use crate::{
    paint::{Ink, Row},
    text::wrap::wrap_row,
    theme::Role,
};

/// What a column has at least.
const NARROWEST: usize = 3;

/// A table that is being read.
#[derive(Debug, Default)]
pub(super) struct Table {
    alignments: Vec<Alignment>,
    /// The cells of each row, those of the head first
    cells: Vec<Vec<Row>>,
    /// Where the last cell ends in the source
    pub(super) cell_end: usize,
}

impl Table {
    pub(super) fn of(alignments: Vec<Alignment>) -> Self {
        Self { alignments, ..Self::default() }
    }

    pub(super) fn begin_row(&mut self) {
        self.cells.push(Vec::new());
    }

    pub(super) fn cell(&mut self, text: Row, end: usize) {
        self.cell_end = end;
        if let Some(row) = self.cells.last_mut() {
            row.push(text);
        }
    }

    /// Lays it out in at most `room` cells.
    pub(super) fn rows(&self, room: usize, sheet: Sheet) -> Vec<Row> {
        let columns = self.columns();
        let borders = 3 * columns + 1;
        match room.checked_sub(borders) {
            Some(room) if room >= columns * NARROWEST => {
                self.side_by_side(&self.widths(room), sheet)
            }
            _ => self.one_by_one(room),
        }
    }

    fn columns(&self) -> usize {
        self.cells.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// How wide each column is: as its widest cell, or what the wider ones leave each other.
    fn widths(&self, room: usize) -> Vec<usize> {
        let mut widths = vec![NARROWEST; self.columns()];
        for row in &self.cells {
            for (widest, cell) in widths.iter_mut().zip(row) {
                *widest = cell.width().max(*widest);
            }
        }
        if widths.iter().sum::<usize>() <= room {
            return widths;
        }
        let mut order: Vec<usize> = (0..widths.len()).collect();
        order.sort_by_key(|index| widths[*index]);
        let mut left = room;
        for (done, index) in order.iter().enumerate() {
            let share = left / (order.len() - done);
            widths[*index] = widths[*index].min(share);
            left -= widths[*index];
        }
        widths
    }

    fn side_by_side(&self, widths: &[usize], sheet: Sheet) -> Vec<Row> {
        let mut lines = self.cells.iter().map(|cells| self.line(cells, widths, sheet));
        let mut rows = lines.next().unwrap_or_default();
        rows.push(rule(widths, sheet));
        rows.extend(lines.flatten());
        rows
    }

    fn line(&self, cells: &[Row], widths: &[usize], sheet: Sheet) -> Vec<Row> {
        let bar = sheet.symbols.vertical;
        let empty = Row::new();
        let of = |(index, width): (usize, &usize)| {
            wrap_row(cells.get(index).unwrap_or(&empty), *width, 0)
        };
        let wrapped: Vec<Vec<Row>> = widths.iter().enumerate().map(of).collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(1);
        (0..height)
            .map(|at| {
                let mut row = Row::of(bar, Role::Dim);
                for (index, width) in widths.iter().enumerate() {
                    let cell = wrapped[index].get(at).cloned().unwrap_or_default();
                    row.space(1);
                    self.place(index, cell, *width, &mut row);
                    row.push(format!(" {bar}"), Role::Dim);
                }
                row
            })
            .collect()
    }

    fn place(&self, index: usize, cell: Row, cells: usize, row: &mut Row) {
        let left = cells.saturating_sub(cell.width());
        let before = match self.alignments.get(index) {
            Some(Alignment::Right) => left,
            Some(Alignment::Center) => left / 2,
            _ => 0,
        };
        row.space(before);
        row.append(cell);
        row.space(left - before);
    }

    fn one_by_one(&self, room: usize) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        let Some((head, body)) = self.cells.split_first() else { return rows };
        if body.is_empty() {
            return head.iter().flat_map(|name| wrap_row(name, room, 2)).collect();
        }
        for (index, cells) in body.iter().enumerate() {
            if index > 0 {
                rows.push(Row::new());
            }
            let said = cells.iter().enumerate().filter(|(_, cell)| !cell.spans.is_empty());
            for (column, cell) in said {
                let mut row = head.get(column).cloned().unwrap_or_default();
                if !row.spans.is_empty() {
                    row.push(": ", Role::Title);
                }
                row.append(cell.clone());
                rows.extend(wrap_row(&row, room, 2));
            }
        }
        rows
    }
}

fn rule(widths: &[usize], sheet: Sheet) -> Row {
    let [left, cross, right] = sheet.symbols.tees;
    let mut text = left.to_owned();
    for (index, width) in widths.iter().enumerate() {
        text.push_str(if index > 0 { cross } else { "" });
        text.push_str(&sheet.symbols.horizontal.repeat(width + 2));
    }
    text.push_str(right);
    Row::of(Ink::part(&text), Role::Dim)
}
