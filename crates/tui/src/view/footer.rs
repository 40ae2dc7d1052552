//! The last line: the keys that help most where the person is.

use ratatui_core::layout::Rect;

use crate::{
    action::Action,
    keys::{self, Context},
    paint::{Painter, Row},
    state::State,
    theme::Role,
    update::act::is_possible,
};

/// Draws it.
pub fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) {
    let (row, _) = row(state, usize::from(area.width));
    painter.row(area, 0, 0, &row);
}

/// The line, and which actions it shows.
pub fn row(state: &State, width: usize) -> (Row, Vec<(Context, Action)>) {
    if state.question.is_some() && state.overlays.is_empty() {
        let row = Row::of(" y", Role::Accent).with(" do it", Role::Text);
        return (row.with("  any other key", Role::Accent).with(" keep", Role::Text), Vec::new());
    }
    if let Some(overlay) = state.overlays.last() {
        return (overlay.footer(state).cut(width, state.look.symbols.ellipsis), Vec::new());
    }
    let pinned = pinned(state);
    let room = width.saturating_sub(pinned.width() + 1);
    let mut row = Row::of(" ", Role::Text);
    let mut shown: Vec<(Context, Action)> = Vec::new();
    for context in state.contexts() {
        for binding in keys::rows(context).filter(|binding| binding.in_footer) {
            let is_shown = shown.iter().any(|(_, action)| *action == binding.action);
            if is_shown || !is_possible(state, binding.action) {
                continue;
            }
            let Some(key) = state.keymap.shown(binding) else { continue };
            let mut hint = Row::of(key, Role::Accent).with(" ", Role::Text);
            hint.push(binding.label, Role::Text);
            let gap = if row.width() > 1 { 2 } else { 0 };
            if row.width() + gap + hint.width() > room {
                continue;
            }
            row.space(gap);
            row.append(hint);
            shown.push((context, binding.action));
        }
    }
    row.tab(width.saturating_sub(pinned.width()));
    row.append(pinned);
    (row, shown)
}

fn pinned(state: &State) -> Row {
    let hint = |key: &'static str, label: &'static str| {
        Row::of(key, Role::Accent).with(" ", Role::Text).with(label, Role::Text)
    };
    if state.composer.is_open {
        return hint("F1", "help").with(" ", Role::Text);
    }
    let mut row = hint("?", "help").with("  ", Role::Text);
    row.append(hint("q", "quit"));
    row.with(" ", Role::Text)
}
