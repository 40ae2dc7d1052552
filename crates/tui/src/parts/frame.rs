//! The frame of a box, and the keys that it names.

use ratatui_core::layout::Rect;

use crate::{
    paint::{Painter, Row},
    theme::Role,
};

pub fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, label)| ((*key).to_owned(), (*label).to_owned())).collect()
}

/// These keys, and behind them what Esc does.
pub fn with_esc(mut keys: Vec<(String, String)>, does: &str) -> Vec<(String, String)> {
    keys.push(("Esc".to_owned(), does.to_owned()));
    keys
}

/// A row with keys and what they do behind what it begins with, and a gap between two of them.
pub fn hints(mut row: Row, keys: Vec<(String, String)>, gap: usize) -> Row {
    for (number, (key, label)) in keys.into_iter().enumerate() {
        row = row.pad(if number > 0 { gap } else { 0 }).with(key, Role::Accent);
        row = row.with(" ", Role::Text).with(label, Role::Text);
    }
    row
}

/// Draws the frame of a box in the middle of an area, blank inside; gives the inside.
pub fn frame(
    painter: &mut Painter<'_>,
    area: Rect,
    (width, height): (u16, u16),
    title: impl Into<String>,
    bottom: impl Into<String>,
) -> Rect {
    let width = width.min(area.width.saturating_sub(2)).max(4);
    let height = height.min(area.height.saturating_sub(2)).max(3);
    let x = area.x + (area.width.saturating_sub(width)) / 2;
    let y = area.y + (area.height.saturating_sub(height)) / 2;
    boxed(painter, Rect { x, y, width, height }.intersection(area), title, bottom)
}

/// Draws the frame of a box, blank inside; gives the inside.
pub fn boxed(
    painter: &mut Painter<'_>,
    outer: Rect,
    title: impl Into<String>,
    bottom: impl Into<String>,
) -> Rect {
    painter.clear(outer);
    painter.spots.outer = Some(outer);
    let [top_left, top_right, bottom_left, bottom_right] = painter.symbols.corners;
    let right = outer.width.saturating_sub(1);
    let last = outer.height.saturating_sub(1);
    let edges: [(u16, _, _, String); 2] =
        [(0, top_left, top_right, title.into()), (last, bottom_left, bottom_right, bottom.into())];
    let inner = Rect { x: outer.x + 1, width: outer.width.saturating_sub(2), ..outer };
    for (y, first, end, words) in edges {
        painter.rule(inner, y, (!words.is_empty()).then(|| Row::of(words, Role::Title)));
        painter.row(outer, 0, y, &Row::of(first, Role::Dim));
        painter.row(outer, right, y, &Row::of(end, Role::Dim));
    }
    for y in 1..last {
        for x in [0, right] {
            painter.row(outer, x, y, &Row::of(painter.symbols.vertical, Role::Dim));
        }
    }
    Rect {
        x: outer.x + 2,
        y: outer.y + 1,
        width: outer.width.saturating_sub(4),
        height: outer.height.saturating_sub(2),
    }
}
