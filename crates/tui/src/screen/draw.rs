//! The whole screen.

use ratatui_core::{buffer::Buffer, layout::Rect};

use super::{composer, footer, screens, status, strip, tree};
use crate::{
    app::{App, side_panel, tabs},
    model::{
        Model, Reach, Regions, Subject,
        layout::{self, Class},
        refusal, tree_lines,
    },
    paint::Painter,
    theme::Role,
};

#[derive(Debug)]
pub struct Frame {
    pub buffer: Buffer,
    /// Where the caret is; none: hidden
    pub caret: Option<(u16, u16)>,
}

/// Draws the whole screen.
pub fn draw(app: &App) -> Frame {
    let display = &app.model.display;
    let (caret, mut buffer, _) = display.painted(|painter, area| paint(app, painter, area));
    display.look.theme.ground(&mut buffer);
    Frame { buffer, caret }
}

fn paint(app: &App, painter: &mut Painter<'_>, area: Rect) -> Option<(u16, u16)> {
    let model = &app.model;
    let regions = layout::regions(model);
    if regions.class == Class::TooSmall {
        screens::too_small(model, painter, area);
        return None;
    }
    match &model.view {
        Some(view) => status::banner(model, view, painter, regions.status),
        None => status::draw(model, painter, regions.status),
    }
    if !model.has_picture() && nothing(model, painter, &regions, area) {
        footer::draw(app, painter, regions.footer);
        return overlays(app, painter, area);
    }
    panes(app, painter, &regions);
    let caret = composer::draw(app, painter, regions.line);
    footer::draw(app, painter, regions.footer);
    overlays(app, painter, area).or(caret.filter(|_| app.overlays.is_empty()))
}

/// Says why there is nothing to show, with the other daemons beside it; false while it is loaded.
fn nothing(model: &Model, painter: &mut Painter<'_>, regions: &Regions, area: Rect) -> bool {
    let is_beside = regions.nav.is_some() && tree_lines::roots(model).is_some();
    let room = if is_beside { Rect { y: area.y, ..regions.main } } else { area };
    if let Reach::Nobody { .. } = &model.connection.reach {
        screens::no_daemon(model, painter, room);
    } else if let Some(error) = refusal::of(model) {
        screens::refused(model, painter, room, error);
    } else if let Some((problem, _)) = &model.connection.stranger {
        screens::stranger(model, painter, room, problem);
    } else {
        return false;
    }
    if is_beside {
        nav(model, painter, regions);
    }
    true
}

/// The tree, and the rule beside it.
fn nav(model: &Model, painter: &mut Painter<'_>, regions: &Regions) {
    let Some(area) = regions.nav else { return };
    tree::draw(model, painter, area);
    if regions.main.width > 0 {
        painter.divider(Rect { x: area.right(), width: 1, ..area });
    }
}

/// The second line: what is shown, and its tabs.
fn tabs_line(app: &App, painter: &mut Painter<'_>, area: Rect) {
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

fn panes(app: &App, painter: &mut Painter<'_>, regions: &Regions) {
    let model = &app.model;
    tabs_line(app, painter, regions.tabs);
    nav(model, painter, regions);
    if regions.main.width > 0 {
        if model.is_empty() && matches!(model.place.subject, Subject::All) {
            screens::empty(model, painter, regions.main);
        } else if let Some(words) = model.hidden(&model.place) {
            painter.hint(regions.main, 1, words);
        } else if model.has_picture() {
            app.pane().draw(model, painter, regions.main);
        }
    }
    if let Some(area) = regions.strip {
        strip::draw(model, painter, area);
    }
    if let Some(area) = regions.dock {
        if !model.display.is_zoomed {
            painter.divider(Rect { x: area.x - 2, width: 1, ..area });
        }
        side_panel::draw(app, painter, area);
    }
    if !model.is_live() && model.has_picture() {
        for area in [Some(regions.main), regions.dock, regions.strip].into_iter().flatten() {
            painter.tint(area, Role::Dim);
        }
    }
}

fn overlays(app: &App, painter: &mut Painter<'_>, area: Rect) -> Option<(u16, u16)> {
    let mut caret = None;
    for overlay in &app.overlays {
        caret = overlay.draw(&app.model, &app.panes, painter, area);
    }
    caret
}
