//! The second line: what is shown, and its tabs.

use ratatui_core::layout::Rect;

use crate::{
    app::{App, tabs},
    paint::Painter,
};

pub fn draw(app: &App, painter: &mut Painter<'_>, area: Rect) {
    let model = &app.model;
    if !model.has_picture() {
        return;
    }
    painter.row(area, 1, 0, &tabs::title(model));
    let (places, note) = tabs::shown(app);
    for (from, _, _, row) in &places {
        painter.row(area, *from, 0, row);
    }
    if let Some((from, note)) = note {
        painter.row(area, from, 0, &note);
    }
}
