//! The first line while everything is seen as a member sees it.

use ratatui_core::layout::Rect;

use super::status;
use crate::{
    action::Action,
    keys::{self, Context},
    model::{Model, known::view::View},
    paint::{Painter, Row},
    theme::Role,
};

/// Draws it, reversed from edge to edge. Without room, parts go from the right.
pub fn draw(model: &Model, view: &View, painter: &mut Painter<'_>, area: Rect) {
    let width = usize::from(area.width);
    let mut words = vec![format!(" VIEW AS {}", view.target())];
    let (connection, is_good) = status::connection(model, width);
    if !is_good {
        words.push(connection.text());
    }
    let key = keys::rows(Context::Anywhere).find(|row| row.action == Action::View);
    if let Some(key) = key.and_then(|row| model.settings.keymap.shown(row)) {
        words.push(format!("{key} returns"));
    }
    if model.settings.read_only {
        words.push("nothing is written".to_owned());
    }
    words.push("no read position moves".to_owned());
    let sign = format!(" {} ", model.symbols().vertical);
    while words.len() > 1 && words.join(&sign).chars().count() > width {
        words.pop();
    }
    let mut row = Row::of(words.join(&sign), Role::Selected);
    row = row.cut(width, model.symbols().ellipsis);
    row.tab(width);
    painter.row(area, 0, 0, &row.all(Role::Selected));
}
