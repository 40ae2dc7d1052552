//! The mouse: what a click on a row would do from the keys.

use super::{App, act, go, tabs};
use crate::{
    action::Action,
    model::{Effect, Focus, layout, tree_lines},
    mouse::{Mouse, MouseKind},
    overlays,
    parts::table,
};

/// Rows that one turn of the wheel moves.
const WHEEL: isize = 3;

/// The mouse did something.
pub fn mouse(app: &mut App, mouse: Mouse) -> Vec<Effect> {
    let display = &app.model.display;
    if !display.has_mouse || display.is_too_small() || !app.overlays.is_empty() {
        return Vec::new();
    }
    let regions = layout::regions(&app.model);
    let at = ratatui_core::layout::Position::new(mouse.x, mouse.y);
    let is_in =
        |area: Option<ratatui_core::layout::Rect>| area.is_some_and(|area| area.contains(at));
    match mouse.kind {
        MouseKind::WheelUp | MouseKind::WheelDown => {
            let rows = if mouse.kind == MouseKind::WheelUp { -WHEEL } else { WHEEL };
            if let Some(nav) = regions.nav.filter(|nav| nav.contains(at)) {
                scroll_nav(app, nav.height, rows);
                return Vec::new();
            }
            let effects = app.in_pane(|pane, model| pane.scroll(model, rows));
            app.perform(effects)
        }
        MouseKind::Click | MouseKind::DoubleClick | MouseKind::RightClick => {
            let mut effects = Vec::new();
            let mut is_line = false;
            if is_in(regions.nav) {
                let clicked = click_nav(app, regions.nav.unwrap_or_default(), mouse.y);
                is_line = clicked.is_some();
                effects.extend(clicked.unwrap_or_default());
            } else if is_in(Some(regions.tabs)) {
                effects.extend(click_tab(app, mouse.x));
            } else if is_in(Some(regions.main)) {
                app.model.selection.focus = Focus::Main;
                let (x, row) = (mouse.x - regions.main.x, mouse.y - regions.main.y);
                if let Some(sorted) = click_head(app, x, row) {
                    return sorted;
                }
                let clicked = app.in_pane(|pane, model| pane.click(model, row));
                is_line = clicked.is_some();
                effects.extend(app.perform(clicked.unwrap_or_default()));
            } else if is_in(Some(regions.line)) && !app.composer().is_open {
                return act::act(app, Action::Write);
            }
            let is_leaving = effects.iter().any(|effect| matches!(effect, Effect::TurnTo(..)));
            match mouse.kind {
                _ if is_leaving => {}
                MouseKind::DoubleClick if is_line => effects.extend(act::act(app, Action::Open)),
                MouseKind::RightClick => effects.extend(act::act(app, Action::Menu)),
                _ => {}
            }
            effects
        }
    }
}

/// Moves the lines of the tree by rows. What is selected, and so shown beside it, stays.
fn scroll_nav(app: &mut App, height: u16, rows: isize) {
    app.model.selection.tree.top = tree_lines::top(&app.model, height).saturating_add_signed(rows);
    app.model.selection.tree.scrolled_from = Some(app.model.selection.tree.selected.clone());
}

/// Selects the line of the tree that was clicked; none beside the lines.
fn click_nav(app: &mut App, area: ratatui_core::layout::Rect, y: u16) -> Option<Vec<Effect>> {
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

fn click_tab(app: &mut App, x: u16) -> Vec<Effect> {
    match tabs::at(app, x) {
        Some(tab) => go::tab(app, tab),
        None => Vec::new(),
    }
}
