//! The mouse: what a click on a row would do from the keys.

use ratatui_core::layout::{Position, Rect};

use super::{App, act, go, keys, side_panel, tabs};
use crate::{
    action::Action,
    key::{Code, Key},
    model::{Effect, Focus, Regions, layout, tree_lines},
    mouse::{Mouse, MouseKind},
    overlays,
    paint::Spots,
    parts::table,
};

/// Rows that one turn of the wheel moves.
const WHEEL: isize = 3;

/// The mouse did something.
pub fn mouse(app: &mut App, mouse: Mouse) -> Vec<Effect> {
    let display = &app.model.display;
    if !display.has_mouse || display.is_too_small() {
        return Vec::new();
    }
    if mouse.kind == MouseKind::Click {
        app.is_pressed_over = !app.overlays.is_empty();
    }
    let at = Position::new(mouse.x, mouse.y);
    if let Some(overlay) = app.overlays.last_mut() {
        let rows = match mouse.kind {
            MouseKind::WheelUp => -WHEEL,
            MouseKind::WheelDown => WHEEL,
            MouseKind::Click => return click_over(app, at),
            MouseKind::DoubleClick => return take(app, at),
            MouseKind::RightClick => return Vec::new(),
        };
        let effects = overlay.wheel(&app.model, &mut app.panes, rows);
        return app.perform(effects);
    }
    let regions = layout::regions(&app.model);
    match mouse.kind {
        MouseKind::WheelUp => wheel(app, &regions, at, -WHEEL),
        MouseKind::WheelDown => wheel(app, &regions, at, WHEEL),
        MouseKind::Click | MouseKind::DoubleClick | MouseKind::RightClick => {
            let (mut effects, hit) = click(app, &regions, at);
            let is_leaving = effects.iter().any(|effect| matches!(effect, Effect::TurnTo(..)));
            match mouse.kind {
                _ if is_leaving || hit == Hit::Done => {}
                // A first click that took a box away was not for the line below it.
                MouseKind::DoubleClick if hit == Hit::Line && !app.is_pressed_over => {
                    effects.extend(act::act(app, Action::Open));
                }
                MouseKind::RightClick => effects.extend(act::act(app, Action::Menu)),
                _ => {}
            }
            effects
        }
    }
}

/// A click while something lies over the panes: it marks the line of its list that is there. Beside
/// the box it does what Esc does, unless what is written would be lost.
fn click_over(app: &mut App, at: Position) -> Vec<Effect> {
    let spots = spots(app);
    let is_footer = layout::regions(&app.model).footer.contains(at);
    let is_beside = !is_footer && spots.outer.is_some_and(|outer| !outer.contains(at));
    let Some(overlay) = app.overlays.last_mut() else { return Vec::new() };
    if is_beside && !overlay.loses_text() {
        return keys::key(app, Key::plain(Code::Esc));
    }
    if let (Some(line), Some((_, first))) = (line_at(&spots, at), spots.lines.first()) {
        overlay.mark(&app.model, line, *first);
    }
    Vec::new()
}

/// A double click on a line of a list over the panes: its first click has marked the line, so it
/// presses the key that takes that.
fn take(app: &mut App, at: Position) -> Vec<Effect> {
    let line = line_at(&spots(app), at);
    let Some(overlay) = app.overlays.last().filter(|_| line.is_some()) else { return Vec::new() };
    let key = app.model.settings.keymap.first(&overlay.contexts(), overlay.takes());
    match key.filter(|_| overlay.marked() == line) {
        Some(key) => keys::key(app, key),
        None => Vec::new(),
    }
}

/// Where a click means something in what is on top: that is drawn once more, on no screen.
fn spots(app: &App) -> Spots {
    let (_, _, spots) = app.model.display.painted(|painter, area| {
        app.overlays.last().map(|overlay| overlay.draw(&app.model, &app.panes, painter, area))
    });
    spots
}

/// The line of a list that stands there.
fn line_at(spots: &Spots, at: Position) -> Option<usize> {
    spots.lines.iter().find(|(row, _)| row.contains(at)).map(|(_, line)| *line)
}

/// Scrolls what is under the pointer. Focus stays where it is.
fn wheel(app: &mut App, regions: &Regions, at: Position, rows: isize) -> Vec<Effect> {
    if let Some(nav) = regions.nav.filter(|nav| nav.contains(at)) {
        scroll_nav(app, nav.height, rows);
        return Vec::new();
    }
    let effects = if regions.dock.is_some_and(|dock| dock.contains(at)) {
        side_panel::scroll(app, rows)
    } else {
        app.in_pane(|pane, model| pane.scroll(model, rows))
    };
    app.perform(effects)
}

/// What was clicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hit {
    /// A line: a double click opens it.
    Line,
    /// A place without a line.
    Beside,
    /// What one click does, with either button.
    Done,
}

impl Hit {
    fn line(is_line: bool) -> Self {
        if is_line { Self::Line } else { Self::Beside }
    }
}

/// Does what a click does where it was made.
fn click(app: &mut App, regions: &Regions, at: Position) -> (Vec<Effect>, Hit) {
    if let Some(nav) = regions.nav.filter(|nav| nav.contains(at)) {
        let clicked = click_nav(app, nav, at.y);
        let hit = Hit::line(clicked.is_some());
        return (clicked.unwrap_or_default(), hit);
    }
    if regions.tabs.contains(at) {
        let tab = tabs::at(app, at.x);
        return (tab.map_or_else(Vec::new, |tab| go::tab(app, tab)), Hit::Beside);
    }
    if let Some(dock) = regions.dock.filter(|dock| dock.contains(at)) {
        app.model.selection.focus = Focus::Dock;
        return (Vec::new(), Hit::line(side_panel::click(app, at.y - dock.y)));
    }
    if regions.main.contains(at) {
        app.model.selection.focus = Focus::Main;
        let (x, row) = (at.x - regions.main.x, at.y - regions.main.y);
        if let Some(sorted) = click_head(app, x, row) {
            return (sorted, Hit::Done);
        }
        let clicked = app.in_pane(|pane, model| pane.click(model, row));
        let hit = Hit::line(clicked.is_some());
        return (app.perform(clicked.unwrap_or_default()), hit);
    }
    if regions.line.contains(at) && !app.composer().is_open {
        return (act::act(app, Action::Write), Hit::Done);
    }
    (Vec::new(), Hit::Beside)
}

/// Moves the lines of the tree by rows. What is selected, and so shown beside it, stays.
fn scroll_nav(app: &mut App, height: u16, rows: isize) {
    app.model.selection.tree.top = tree_lines::top(&app.model, height).saturating_add_signed(rows);
    app.model.selection.tree.scrolled_from = Some(app.model.selection.tree.selected.clone());
}

/// Selects the line of the tree that was clicked; none beside the lines.
fn click_nav(app: &mut App, area: Rect, y: u16) -> Option<Vec<Effect>> {
    app.model.selection.focus = Focus::Nav;
    let row = usize::from(y - area.y) + tree_lines::top(&app.model, area.height);
    let line = tree_lines::lines(&app.model).get(row).filter(|line| line.is_open()).cloned()?;
    app.model.selection.tree.scrolled_from = None;
    Some(go::select(app, line))
}

/// Sorts the shown table by the column whose head was clicked; none elsewhere.
fn click_head(app: &mut App, x: u16, row: u16) -> Option<Vec<Effect>> {
    if usize::from(row) + 1 != app.pane().rows_above() {
        return None;
    }
    let main = layout::regions(&app.model).main;
    // At the left edge of the screen the mark of the selected line takes a cell.
    let left = u16::from(main.x == 0);
    let head = app.pane().heading(&app.model, usize::from(main.width - left)).text();
    let x = usize::from(x.checked_sub(left)?);
    let field = table::head_at(&head, x, app.pane().fields(&app.model))?;
    let effects = overlays::sort(&mut app.model, &mut app.panes, Some(field));
    Some(app.perform(effects))
}
