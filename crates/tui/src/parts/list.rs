//! How a list with one line selected looks, and how far keys move in it.

use ratatui_core::layout::Rect;

use super::search;
pub use crate::model::picked::top;
use crate::{
    action::Action,
    model::{Focus, Model, Picked, layout, picked::TO_LAST},
    paint::{Painter, Row},
    theme::Role,
};

/// How far an action moves in a list with this many lines on the screen.
pub fn stride(action: Action, height: usize) -> Option<isize> {
    match action {
        Action::NextItem => Some(1),
        Action::PreviousItem => Some(-1),
        _ => moved(action, height),
    }
}

/// The same in rows, where an item has several of them.
pub fn moved(action: Action, height: usize) -> Option<isize> {
    let page = isize::try_from(height).unwrap_or(isize::MAX).max(1);
    Some(match action {
        Action::Down => 1,
        Action::Up => -1,
        Action::HalfDown => (page / 2).max(1),
        Action::HalfUp => -(page / 2).max(1),
        Action::PageDown => page,
        Action::PageUp => -page,
        Action::First => -TO_LAST,
        Action::Last => TO_LAST,
        _ => return None,
    })
}

/// Rows of a list that stands above one of its lines told whole: as many as it has, up to `most`
/// and a third of the pane.
pub fn height(model: &Model, lines: usize, most: usize) -> usize {
    let height = usize::from(layout::regions(model).main.height);
    lines.clamp(1, most.min(height / 3).max(1))
}

/// The rows of an area down to this height, as those of such a list, and what is left below them.
pub fn split(area: Rect, height: usize) -> (Rect, Rect) {
    let rows = u16::try_from(height).unwrap_or(1).min(area.height);
    let below = Rect { y: area.y + rows, height: area.height - rows, ..area };
    (Rect { height: rows, ..area }, below)
}

/// The width of what is told of a selected line where it is read alone: the pager would wrap wider
/// rows once more.
pub fn alone(model: &Model) -> usize {
    layout::pager_width(model).min(76)
}

/// Rows as a text.
pub fn text(rows: &[Row]) -> String {
    let lines: Vec<String> = rows.iter().map(|row| row.text().trim_end().to_owned()).collect();
    lines.join("\n")
}

/// Draws below a list what its selected line stands for, in rows of this width.
pub fn under(painter: &mut Painter<'_>, area: Rect, rows: impl FnOnce(usize) -> Vec<Row>) {
    if area.height == 0 {
        return;
    }
    painter.rule(margin(area), 0, None);
    let area = Rect { y: area.y + 1, height: area.height - 1, ..area };
    let width = usize::from(area.width).saturating_sub(1);
    for (y, row) in (0..area.height).zip(rows(width)) {
        painter.row(area, 0, y, &row.cut(width, painter.symbols.ellipsis));
    }
}

/// An area with the column to its left, in which the mark of the selected line stands.
pub fn margin(area: Rect) -> Rect {
    let left = area.x.min(1);
    Rect { x: area.x - left, width: area.width + left, ..area }
}

/// Draws the lines of a list in an area that is as high as the list on the screen.
pub fn lines<K: Clone + PartialEq>(
    model: &Model,
    painter: &mut Painter<'_>,
    area: Rect,
    (picked, keys): (&Picked<K>, &[K]),
    row: impl Fn(usize) -> Row,
) {
    let (top, at) = (picked.top(keys, usize::from(area.height)), picked.at(keys));
    for (y, number) in (0..area.height).zip(top..keys.len()) {
        line(model, painter, area, y, &row(number), at == Some(number));
    }
}

/// Draws a line of a list, and its mark if it is the selected one.
pub fn line(
    model: &Model,
    painter: &mut Painter<'_>,
    area: Rect,
    y: u16,
    row: &Row,
    is_selected: bool,
) {
    painter.row(area, 1, y, &search::mark(model, row.clone()));
    if !is_selected {
        return;
    }
    painter.row(area, 0, y, &Row::of(painter.symbols.selected, Role::Accent));
    if model.selection.focus == Focus::Main {
        painter.tint(Rect { y: area.y.saturating_add(y), height: 1, ..area }, Role::Selected);
    }
}
