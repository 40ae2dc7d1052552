//! A transcript on the screen: its header, a rule, its column.

use ratatui_core::layout::Rect;

use super::{Transcripts, column::Column, header, transcript::Sight};
use crate::{
    model::{Focus, Model, layout, words},
    paint::{Painter, Row},
    parts::{flow, list, search},
    theme::Role,
};

/// Where a run is on the screen.
fn area_of(model: &Model, pane: Sight) -> Rect {
    match pane {
        Sight::Main | Sight::Prompt => layout::regions(model).main,
        Sight::Dock(_, area) => area,
    }
}

/// Columns of a run; the last one of the main pane stays blank, beside a rule or the edge.
fn width(area: Rect, pane: Sight) -> usize {
    usize::from(area.width.saturating_sub(u16::from(!pane.is_beside())))
}

/// Columns of a run in a place of the screen.
pub fn width_in(model: &Model, pane: Sight) -> usize {
    width(area_of(model, pane), pane)
}

impl Transcripts {
    /// Rows of the column on the screen.
    pub fn height_in(&self, model: &Model, pane: Sight) -> usize {
        let height = usize::from(area_of(model, pane).height);
        height.saturating_sub(self.head_in(model, pane)).max(1)
    }

    /// Rows above the column.
    pub fn head_in(&self, model: &Model, pane: Sight) -> usize {
        self.above(model, pane, width_in(model, pane)).len() + 1
    }

    /// The column on the screen.
    pub fn column_in<'a>(&'a self, model: &'a Model, pane: Sight) -> Option<Column<'a>> {
        Column::of(model, self, pane, width_in(model, pane))
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
        if let Some(column) = Column::of(model, self, pane, width) {
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
    let focus = if pane.is_beside() { Focus::Dock } else { Focus::Main };
    let selected = column.selected().filter(|_| model.selection.focus == focus);
    for (y, (spot, row)) in (0..).zip(column.window(column.place(height), height)) {
        let row = if pane.is_beside() { row } else { search::mark(model, row) };
        painter.row(area, 0, y, &row);
        if selected == Some(spot.item) && spot.line == 0 {
            painter.tint(Rect { y: area.y + y, height: 1, ..area }, Role::Selected);
        }
    }
}
