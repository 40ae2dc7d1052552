//! The mouse: what a click on a row would do from the keys.

use super::{act, go};
use crate::{
    action::Action,
    model::{Focus, State, layout, requests::Effect, tree},
    terminal::{Mouse, MouseKind},
};

/// Rows that one turn of the wheel moves.
const WHEEL: isize = 3;

/// The mouse did something.
pub fn mouse(state: &mut State, mouse: Mouse) -> Vec<Effect> {
    if !state.has_mouse || !state.overlays.is_empty() {
        return Vec::new();
    }
    let regions = layout::regions(state);
    let at = ratatui_core::layout::Position::new(mouse.x, mouse.y);
    let is_in =
        |area: Option<ratatui_core::layout::Rect>| area.is_some_and(|area| area.contains(at));
    match mouse.kind {
        MouseKind::WheelUp | MouseKind::WheelDown => {
            let rows = if mouse.kind == MouseKind::WheelUp { -WHEEL } else { WHEEL };
            if is_in(regions.nav) {
                scroll_nav(state, rows);
                return Vec::new();
            }
            crate::panes::scroll(state, rows)
        }
        MouseKind::Click | MouseKind::DoubleClick | MouseKind::RightClick => {
            let mut effects = Vec::new();
            if is_in(regions.nav) {
                effects.extend(click_nav(state, regions.nav.unwrap_or_default(), mouse.y));
            } else if is_in(Some(regions.tabs)) {
                effects.extend(click_tab(state, mouse.x));
            } else if is_in(Some(regions.main)) {
                state.focus = Focus::Main;
                let row = mouse.y - regions.main.y;
                effects.extend(crate::panes::click(state, row));
            } else if is_in(Some(regions.line)) {
                return act::act(state, Action::Write);
            }
            match mouse.kind {
                MouseKind::DoubleClick => effects.extend(act::act(state, Action::Open)),
                MouseKind::RightClick => effects.extend(act::act(state, Action::Menu)),
                _ => {}
            }
            effects
        }
    }
}

fn scroll_nav(state: &mut State, rows: isize) {
    let last = tree::lines(state).len().saturating_sub(1);
    state.nav.top = state.nav.top.saturating_add_signed(rows).min(last);
}

fn click_nav(state: &mut State, area: ratatui_core::layout::Rect, y: u16) -> Vec<Effect> {
    state.focus = Focus::Nav;
    let row = usize::from(y - area.y) + crate::screen::tree::top(state, area.height);
    match tree::lines(state).get(row).filter(|line| line.is_open()) {
        Some(line) => go::select(state, line.clone()),
        None => Vec::new(),
    }
}

fn click_tab(state: &mut State, x: u16) -> Vec<Effect> {
    match crate::screen::tabs::at(state, x) {
        Some(tab) => go::tab(state, tab),
        None => Vec::new(),
    }
}
