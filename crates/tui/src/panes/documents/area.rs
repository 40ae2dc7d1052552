//! Where the list stands, and where the text.

use ratatui_core::layout::Rect;

use crate::{
    model::{
        Model,
        layout::{self, Class},
    },
    parts::list,
};

/// Rows of the list where it stands above the text.
pub(super) const ABOVE: usize = 6;

/// Columns of the list where it stands beside the text.
pub(super) const BESIDE: u16 = 29;

/// The list, and the text.
pub(super) fn parts(model: &Model, area: Rect) -> (Rect, Rect) {
    if layout::class(model.display.size) <= Class::Small {
        let scope = model.place.subject.scope();
        let count = scope.map_or(0, |scope| model.mirror().documents_of(scope).count());
        return list::split(area, count.clamp(1, ABOVE).min(usize::from(area.height / 2)));
    }
    let list = Rect { width: BESIDE.min(area.width), ..area };
    let x = area.x + BESIDE + 3;
    (list, Rect { x, width: area.right().saturating_sub(x), ..area })
}

pub(super) fn text_area(model: &Model) -> Rect {
    let (_, text) = parts(model, layout::regions(model).main);
    let above = if layout::class(model.display.size) <= Class::Small { 2 } else { 1 };
    Rect { y: text.y + above, height: text.height.saturating_sub(above), ..text }
}

/// Rows of the text on the screen.
pub fn height(model: &Model) -> usize {
    usize::from(text_area(model).height)
}

/// Columns of the text on the screen.
pub fn width(model: &Model) -> usize {
    usize::from(text_area(model).width).max(10)
}
