//! A column of items of different heights, seen through a window: where it stands is an item and one
//! of its lines, so that nothing on the screen moves when something is added elsewhere. Only what is
//! near the window is laid out.

use crate::model::known::talks::View;

/// Items with heights; the last is the newest.
pub trait Flow {
    fn len(&self) -> usize;
    /// How many rows an item takes; at least one
    fn height(&self, item: usize) -> usize;
    /// In how many columns the items are laid out
    fn width(&self) -> usize;
    /// How many rows an item takes in this many columns
    fn height_at(&self, item: usize, width: usize) -> usize;
    /// Whether it has no items.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The first row of a window: an item and one of its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Spot {
    pub item: usize,
    /// Which of its lines
    pub line: usize,
}

/// Where a window of this height stands when the last row is its last row.
pub fn end(flow: &impl Flow, height: usize) -> Spot {
    up(flow, Spot { item: flow.len(), line: 0 }, height)
}

/// Where a window of this height stands in a view; `position` tells which item has a mark, or is
/// the first behind its place. In an item that is laid out in other columns now, the window stands
/// as far down as before.
pub fn place<M>(
    flow: &impl Flow,
    view: View<M>,
    height: usize,
    position: impl FnOnce(M) -> usize,
) -> Spot {
    let end = end(flow, height);
    let View::At { mark, line, width } = view else { return end };
    let item = position(mark);
    if item >= flow.len() {
        return end;
    }
    let rows = flow.height(item);
    let line = if line == 0 || width == flow.width() {
        line
    } else {
        line * rows / flow.height_at(item, width).max(1)
    };
    Spot { item, line: line.min(rows - 1) }.min(end)
}

/// The same window moved by this many rows, never beyond the ends.
pub fn scrolled(flow: &impl Flow, spot: Spot, rows: isize, height: usize) -> Spot {
    if flow.is_empty() {
        return Spot::default();
    }
    let count = rows.unsigned_abs();
    let moved = if rows < 0 { up(flow, spot, count) } else { down(flow, spot, count) };
    moved.min(end(flow, height))
}

fn up(flow: &impl Flow, mut spot: Spot, mut rows: usize) -> Spot {
    while rows > spot.line {
        if spot.item == 0 {
            return Spot::default();
        }
        rows -= spot.line + 1;
        spot.item -= 1;
        spot.line = flow.height(spot.item).saturating_sub(1);
    }
    spot.line -= rows;
    spot
}

fn down(flow: &impl Flow, mut spot: Spot, mut rows: usize) -> Spot {
    while spot.item < flow.len() {
        let left = flow.height(spot.item).saturating_sub(spot.line);
        if rows < left {
            spot.line += rows;
            return spot;
        }
        rows -= left;
        spot = Spot { item: spot.item + 1, line: 0 };
    }
    spot
}

/// How many items lie wholly below the window.
pub fn below(flow: &impl Flow, spot: Spot, height: usize) -> usize {
    flow.len().saturating_sub(down(flow, spot, height).item)
}

/// The last item that has a row in the window.
pub fn last_visible(flow: &impl Flow, spot: Spot, height: usize) -> usize {
    let last = down(flow, spot, height.saturating_sub(1));
    last.item.min(flow.len().saturating_sub(1))
}

/// The window moved as little as is needed to hold an item.
pub fn with(flow: &impl Flow, spot: Spot, item: usize, height: usize) -> Spot {
    let top = Spot { item, line: 0 };
    if top < spot {
        return top.min(end(flow, height));
    }
    // With the item as its end, or as much of it as fits.
    let first = up(flow, top, height.saturating_sub(flow.height(item)));
    spot.max(first).min(end(flow, height).max(spot.min(top)))
}

#[cfg(test)]
#[path = "tests/flow.rs"]
mod tests;
