//! A transcript on the screen: its header, a rule, its column.

use ratatui_core::layout::Rect;

use super::{
    Transcripts,
    column::Column,
    header,
    transcript::{Sight, View},
};
use crate::{
    model::{Focus, Model, layout, words},
    paint::{Painter, Row},
    parts::{flow, list, search},
    theme::Role,
};

impl Transcripts {
    /// Rows and columns of the column.
    fn room(&self, model: &Model, pane: Sight) -> (usize, usize) {
        let area = match pane {
            Sight::Main | Sight::Prompt => layout::regions(model).main,
            Sight::Dock(_, area) => area,
        };
        let width = width(area, pane);
        let above = self.above(model, pane, width).len() + 1;
        (usize::from(area.height).saturating_sub(above), width)
    }
}

/// Columns of a run; the last one of the main pane stays blank, beside a rule or the edge.
fn width(area: Rect, pane: Sight) -> usize {
    usize::from(match pane {
        Sight::Main | Sight::Prompt => area.width.saturating_sub(1),
        Sight::Dock(..) => area.width,
    })
}

impl Transcripts {
    /// Rows of the column on the screen.
    pub fn height_in(&self, model: &Model, pane: Sight) -> usize {
        self.room(model, pane).0.max(1)
    }

    /// Rows above the column.
    pub fn head_in(&self, model: &Model, pane: Sight) -> usize {
        let (_, width) = self.room(model, pane);
        self.above(model, pane, width).len() + 1
    }

    /// The column on the screen.
    pub fn column_in<'a>(&'a self, model: &'a Model, pane: Sight) -> Option<Column<'a>> {
        let (_, width) = self.room(model, pane);
        self.wide(model, pane, width)
    }

    /// The column, so wide.
    pub fn wide<'a>(&'a self, model: &'a Model, pane: Sight, width: usize) -> Option<Column<'a>> {
        let id = self.shown_in(model, pane)?;
        let transcript = self.seen_in(model, pane)?;
        Some(Column::new(model, self, transcript, self.run(model, id), pane, width))
    }

    /// What stands above the column.
    fn above(&self, model: &Model, pane: Sight, width: usize) -> Vec<Row> {
        let Some(id) = self.shown_in(model, pane) else { return Vec::new() };
        let Some(run) = self.run(model, id) else {
            return vec![Row::of(id.to_string(), Role::Title)];
        };
        match pane {
            Sight::Dock(..) => header::short(model, run, width),
            Sight::Main | Sight::Prompt => {
                let detail = self.get(id).and_then(|known| known.detail.as_ref());
                header::rows(model, run, detail, width)
            }
        }
    }

    /// Draws a run, or says that no run exists.
    pub fn paint(&self, model: &Model, painter: &mut Painter<'_>, area: Rect, pane: Sight) {
        let width = width(area, pane);
        if self.shown_in(model, pane).is_none() {
            return painter.hint(area, 1, words::no_run(model));
        }
        let above = self.above(model, pane, width);
        painter.rows(area, 0, &above);
        let y = u16::try_from(above.len()).unwrap_or(u16::MAX);
        painter.rule(list::margin(area), y, None);
        let (_, body) = list::split(area, above.len() + 1);
        if let Some(column) = self.wide(model, pane, width) {
            rows(model, painter, body, pane, &column);
        }
    }
}

fn rows(model: &Model, painter: &mut Painter<'_>, area: Rect, pane: Sight, column: &Column<'_>) {
    let height = usize::from(area.height);
    if flow::Flow::is_empty(column) {
        // A run that is told whole has at least an end; a prompt may still be empty.
        let is_told = !column.is_live() && column.transcript.end.is_some();
        let words = match (pane, is_told) {
            (Sight::Prompt, true) => "what it was given is not kept",
            _ => "nothing of it is here yet",
        };
        return painter.hint(area, 1, words);
    }
    let has_focus = match pane {
        Sight::Dock(..) => model.selection.focus == Focus::Dock,
        Sight::Main | Sight::Prompt => model.selection.focus == Focus::Main,
    };
    let selected = column.selected().filter(|_| has_focus);
    for (y, (spot, row)) in column.window(column.place(height), height).into_iter().enumerate() {
        let y = u16::try_from(y).unwrap_or(u16::MAX);
        let row = if pane.is_beside() { row } else { search::mark(model, row) };
        painter.row(area, 0, y, &row);
        if selected == Some(spot.item) && spot.line == 0 {
            painter.tint(Rect { y: area.y + y, height: 1, ..area }, Role::Selected);
        }
    }
}

impl Transcripts {
    /// Whether the view follows, or how much is below it.
    pub fn note_in(&self, model: &Model, pane: Sight) -> Row {
        let Some(column) = self.column_in(model, pane) else { return Row::new() };
        let look = column.transcript.look(pane).view;
        if pane == Sight::Prompt {
            return Row::new();
        }
        let is_over = column.transcript.end.is_some() || !column.is_live();
        match look {
            View::Following if is_over => Row::new(),
            View::Following => Row::of("follow", Role::Running),
            View::At { .. } => {
                let height = self.height_in(model, pane);
                let below = rows_below(&column, height);
                let word = if is_over { "" } else { "paused, " };
                Row::of(format!("{word}{below} below"), Role::Wait)
            }
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
