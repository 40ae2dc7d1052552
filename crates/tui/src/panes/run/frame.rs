//! A transcript on the screen: its header, a rule, its column.

use ratatui_core::layout::Rect;

use super::{
    column::Column,
    header, screen,
    transcript::{Pane, View},
};
use crate::{
    app::{search, side_panel},
    model::{Focus, State, layout},
    paint::{Painter, Row},
    parts::{flow, list},
    theme::Role,
};

/// Rows and columns of the column.
fn room(state: &State, pane: Pane) -> Option<(usize, usize)> {
    let regions = layout::regions(state);
    let area = match pane {
        Pane::Main | Pane::Prompt => regions.main,
        Pane::Dock => side_panel::run_area(state, regions.dock?),
    };
    let width = width(area, pane);
    let above = above(state, pane, width).len() + 1;
    Some((usize::from(area.height).saturating_sub(above), width))
}

/// Columns of a run; the last one of the main pane stays blank, beside a rule or the edge.
fn width(area: Rect, pane: Pane) -> usize {
    usize::from(match pane {
        Pane::Main | Pane::Prompt => area.width.saturating_sub(1),
        Pane::Dock => area.width,
    })
}

/// Rows of the column on the screen.
pub fn height(state: &State, pane: Pane) -> usize {
    room(state, pane).map_or(1, |(rows, _)| rows.max(1))
}

/// Rows above the column.
pub fn head(state: &State, pane: Pane) -> usize {
    room(state, pane).map_or(0, |(_, width)| above(state, pane, width).len() + 1)
}

/// The column on the screen.
pub fn column(state: &State, pane: Pane) -> Option<Column<'_>> {
    let (_, width) = room(state, pane)?;
    wide(state, pane, width)
}

/// The column, so wide.
pub fn wide(state: &State, pane: Pane, width: usize) -> Option<Column<'_>> {
    let id = screen::shown(state, pane)?;
    let transcript = state.panes.run.get(id)?;
    Some(Column::new(state, transcript, screen::run(state, id), pane, width))
}

/// What stands above the column.
fn above(state: &State, pane: Pane, width: usize) -> Vec<Row> {
    let Some(id) = screen::shown(state, pane) else { return Vec::new() };
    let Some(run) = screen::run(state, id) else {
        return vec![Row::of(id.to_string(), Role::Title)];
    };
    match pane {
        Pane::Dock => side_panel::title(state, run, width),
        Pane::Main | Pane::Prompt => {
            let detail = state.panes.run.get(id).and_then(|known| known.detail.as_ref());
            header::rows(state, run, detail, width)
        }
    }
}

/// Draws a run, or says that there is none.
pub fn draw(state: &State, painter: &mut Painter<'_>, area: Rect, pane: Pane) {
    let width = width(area, pane);
    if screen::shown(state, pane).is_none() {
        let words = "no run of it yet: i writes to it, w wakes it";
        painter.row(area, 1, area.height / 3, &Row::of(words, Role::Dim));
        return;
    }
    let mut y = 0;
    for row in above(state, pane, width) {
        painter.row(area, 0, y, &row);
        y += 1;
    }
    painter.rule(list::margin(area), y, None);
    y += 1;
    let body = Rect { y: area.y.saturating_add(y), height: area.height.saturating_sub(y), ..area };
    if let Some(column) = wide(state, pane, width) {
        rows(state, painter, body, pane, &column);
    }
}

fn rows(state: &State, painter: &mut Painter<'_>, area: Rect, pane: Pane, column: &Column<'_>) {
    let height = usize::from(area.height);
    if flow::Flow::is_empty(column) {
        let words = match (pane, column.is_live()) {
            (_, true) => "nothing of it is here yet",
            (Pane::Prompt, false) => "what it was given is not kept",
            (_, false) => "its transcript is not here",
        };
        painter.row(area, 1, area.height / 3, &Row::of(words, Role::Dim));
        return;
    }
    let has_focus = match pane {
        Pane::Dock => state.focus == Focus::Dock,
        Pane::Main | Pane::Prompt => state.focus == Focus::Main,
    };
    let selected = column.selected().filter(|_| has_focus);
    for (y, (spot, row)) in column.window(column.place(height), height).into_iter().enumerate() {
        let y = u16::try_from(y).unwrap_or(u16::MAX);
        let row = if pane == Pane::Dock { row } else { search::mark(state, row) };
        painter.row(area, 0, y, &row);
        if selected == Some(spot.item) && spot.line == 0 {
            painter.tint(Rect { y: area.y + y, height: 1, ..area }, Role::Selected);
        }
    }
}

/// Whether the view follows, or how much is below it.
pub fn note(state: &State, pane: Pane) -> Row {
    let Some((id, column)) = screen::shown(state, pane).zip(column(state, pane)) else {
        return Row::new();
    };
    let look = state.panes.run.get(id).map(|transcript| transcript.look(pane).view);
    if pane == Pane::Prompt {
        return Row::new();
    }
    let is_over = column.transcript.end.is_some() || !column.is_live();
    match look {
        Some(View::Following) if is_over => Row::new(),
        Some(View::Following) => Row::of("follow", Role::Running),
        _ => {
            let height = height(state, pane);
            let below = rows_below(&column, height);
            let word = if is_over { "" } else { "paused, " };
            Row::of(format!("{word}{below} below"), Role::Wait)
        }
    }
}

/// Rows below the window.
fn rows_below(column: &Column<'_>, height: usize) -> usize {
    use flow::Flow as _;
    let spot = column.place(height);
    let rows: usize = (spot.item..column.len()).map(|item| column.height(item)).sum();
    rows.saturating_sub(spot.line + height)
}
