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

/// Draws it, reversed from edge to edge. Without room, parts go from the right, then the details of
/// the connection and the end of the name: the state and the key that returns stay.
pub fn draw(model: &Model, view: &View, painter: &mut Painter<'_>, area: Rect) {
    let (width, symbols) = (usize::from(area.width), model.symbols());
    let row = |words: &[String]| {
        let mut row = Row::new();
        for word in words {
            row.push(format!(" {} {word}", symbols.vertical), Role::Selected);
        }
        row
    };
    let name = Row::of(format!(" VIEW AS {}", view.target()), Role::Selected);
    let room = width.saturating_sub(name.width());
    let mut words = Vec::new();
    let (connection, is_good) = status::connection(model, usize::MAX);
    if !is_good {
        words.push(connection.text());
    }
    let key = keys::rows(Context::Anywhere).find(|row| row.action == Action::View);
    if let Some(key) = key.and_then(|row| model.settings.keymap.shown(row)) {
        words.push(format!("{key} returns"));
    }
    let least = words.len();
    if model.settings.read_only {
        words.push("nothing is written".to_owned());
    }
    words.push("no read position moves".to_owned());
    while words.len() > least && row(&words).width() > room {
        words.pop();
    }
    if !is_good {
        let others = row(&words[1..]).width() + 3;
        words[0] = status::connection(model, room.saturating_sub(others)).0.text();
    }
    let rest = row(&words);
    let mut line = name.cut(width.saturating_sub(rest.width()), symbols.ellipsis).and(rest);
    line.tab(width);
    painter.row(area, 0, 0, &line.all(Role::Selected));
}
