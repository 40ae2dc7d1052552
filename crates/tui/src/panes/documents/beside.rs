//! Beside a document: its versions, and what the shown version has changed.

use std::rc::Rc;

use agent_worker_client::text::numbers;
use agent_worker_protocol::{Document, DocumentVersion};
use ratatui_core::layout::Rect;

use super::{
    state::{Documents, Key, LaidKey, key_of, sheet},
    top::{Sections, Top},
};
use crate::{
    model::{Model, Tab, layout},
    paint::{Painter, Row},
    parts::list,
    text::{
        cut,
        diff::{self, Diff},
    },
    theme::{Role, hue},
};

/// Versions that are listed.
const LISTED: usize = 12;

/// Cells of the name of an author.
const AUTHOR: usize = 12;

/// Whether the side panel is about documents.
pub fn is_shown(model: &Model) -> bool {
    model.place.tab == Tab::Documents
}

impl Documents {
    /// The version that the one on the screen is compared with beside it.
    pub fn before(&self, model: &Model, document: &Document) -> Option<i64> {
        layout::regions(model).dock?;
        self.older(document)
    }

    pub fn draw_beside(&self, model: &Model, painter: &mut Painter<'_>, area: Rect) {
        let Some(own) = self.selected(model) else { return };
        let key = key_of(own);
        painter.row(area, 0, 0, &heading(own));
        let shown = self.version(own);
        let versions = self.versions.get(&key);
        let mut y = 1;
        for written in versions.iter().flat_map(|all| &all.versions).take(LISTED) {
            let is_own = written.version == shown;
            let mark = if is_own { painter.symbols.selected } else { " " };
            painter.row(list::margin(area), 0, y, &Row::of(mark, Role::Accent));
            painter.row(area, 0, y, &line(model, written, is_own));
            y += 1;
        }
        let Some(before) = self.before(model, own) else { return };
        let title = Row::of(format!("diff v{before}..v{shown}"), Role::Dim);
        painter.rule(list::margin(area), y + 1, Some(title));
        y += 2;
        let width = usize::from(area.width);
        let Some(diff) = self.laid_beside(model, &key, (before, shown), width) else {
            painter.row(area, 0, y, &Row::of(self.missing(model, &key), Role::Dim));
            return;
        };
        let room = usize::from(area.height.saturating_sub(y));
        let top = self.row_beside(&key, shown, &sections(&diff, width), room);
        let top = top.min(diff.rows.len().saturating_sub(1));
        painter.rows(area, y, diff.rows.iter().skip(top));
    }

    /// Moves the diff beside the text by rows.
    pub fn scroll_beside(&mut self, model: &Model, rows: isize) {
        let Some(area) = layout::regions(model).dock else { return };
        let Some(own) = self.selected(model).cloned() else { return };
        let (key, shown) = (key_of(&own), self.version(&own));
        let Some(before) = self.older(&own) else { return };
        let width = usize::from(area.width);
        let Some(diff) = self.laid_beside(model, &key, (before, shown), width) else { return };
        let listed = self.versions.get(&key).map_or(0, |all| all.versions.len().min(LISTED));
        // The heading, a blank row and the title of the diff.
        let room = usize::from(area.height).saturating_sub(listed + 3);
        let last = diff.rows.len().saturating_sub(room);
        let text = sections(&diff, width);
        let top = self.row_beside(&key, shown, &text, room).min(last);
        let top = top.saturating_add_signed(rows).min(last);
        self.beside_top = Some((key, shown, Top::at(top, &text)));
    }

    /// The first row of the diff of a version in a window of `room` rows: the diff of another
    /// version begins at its top.
    fn row_beside(&self, key: &Key, shown: i64, text: &Sections, room: usize) -> usize {
        let scrolled = self.beside_top.as_ref();
        let own = scrolled.filter(|(of, version, _)| of == key && *version == shown);
        own.map_or(0, |(.., top)| top.row(text, room))
    }

    /// What differs between two versions, in rows; none while one of them is on its way.
    fn laid_beside(
        &self,
        model: &Model,
        key: &Key,
        (old, new): (i64, i64),
        width: usize,
    ) -> Option<Rc<Diff>> {
        let (before, after) = (self.text(key, old)?, self.text(key, new)?);
        let (key, sheet) = (key.clone(), sheet(model, width));
        let laid_key = LaidKey { key, version: new, base: Some(old), sheet, is_mine: false };
        if let Some((known, laid)) = &*self.beside.borrow()
            && *known == laid_key
        {
            return Some(Rc::clone(laid));
        }
        let laid = Rc::new(diff::diff(&before.raw, &after.raw, sheet.symbols, width));
        *self.beside.borrow_mut() = Some((laid_key, Rc::clone(&laid)));
        Some(laid)
    }
}

fn sections(diff: &Diff, width: usize) -> Sections {
    Sections { stops: diff.parts.clone(), count: diff.rows.len(), width }
}

fn heading(document: &Document) -> Row {
    let s = if document.version == 1 { "" } else { "s" };
    let mut row = Row::of(format!("history: {} version{s}", document.version), Role::Dim);
    for (key, does) in [("D", "diff"), ("<", "older"), (">", "newer")] {
        row = row.pad(2).with(key, Role::Accent).with(format!(" {does}"), Role::Dim);
    }
    row
}

fn line(model: &Model, written: &DocumentVersion, is_own: bool) -> Row {
    let role = if is_own { Role::Text } else { Role::Dim };
    let row = Row::of(format!("v{}", written.version), role).tabbed(5);
    let row = row.with(model.zone().clock(written.created_at), role).with(" ", role);
    let author = cut::end(written.author.to_string(), AUTHOR, model.symbols().ellipsis);
    let row = row.with(author, hue(written.author.as_str())).tabbed(12 + AUTHOR);
    let row = row.with(format!("{:>8}", numbers::size(written.bytes)), role);
    row.with(written.run.map(|run| format!("  in {run}")).unwrap_or_default(), Role::Dim)
}
