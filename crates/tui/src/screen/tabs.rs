//! The second line: what is shown, and its tabs.

use ratatui_core::layout::Rect;

use crate::{
    app::{App, tabs},
    paint::Painter,
    parts::table,
};

pub fn draw(app: &App, painter: &mut Painter<'_>, area: Rect) {
    let model = &app.model;
    if !model.has_picture() {
        return;
    }
    painter.row(area, 1, 0, &tabs::title(model));
    let mut note = table::note(model);
    note.append(app.pane().note(model));
    let places = tabs::places(app);
    let own = places.iter().find(|(_, _, tab, _)| *tab == model.place.tab);
    // Which tab is shown matters more.
    let room = area.width.saturating_sub(own.map_or(0, |(_, to, ..)| *to));
    let note_width = u16::try_from(note.width() + 1).ok().filter(|width| *width <= room);
    let end = area.width.saturating_sub(note_width.unwrap_or(0));
    for (from, to, _, row) in &places {
        if *to <= end {
            painter.row(area, *from, 0, row);
        }
    }
    if note_width.is_some() {
        painter.row(area, end, 0, &note);
    }
}
