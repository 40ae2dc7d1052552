//! How documents look: the list beside or above the text.

use agent_worker_client::text::numbers;
use agent_worker_protocol::Document;
use ratatui_core::layout::Rect;

use super::{
    area::{parts, text_area},
    state::{Documents, Laid, all, key_of},
};
use crate::{
    action::Action,
    model::{Focus, Model},
    paint::{Ink, Painter, Row},
    parts::{list, search, table},
    text::cut,
    theme::{Role, hue},
};

impl Documents {
    pub fn paint(&self, model: &Model, painter: &mut Painter<'_>, area: Rect) {
        let Some(own) = self.selected(model) else {
            let words = "no documents yet: agents write them with team_doc_write";
            return painter.hint(area, 1, table::nothing(model, words));
        };
        let (list, text) = parts(model, area);
        let is_beside = list.width < area.width;
        self.draw_list(model, painter, list, own, is_beside);
        if is_beside {
            painter.divider(Rect { x: list.right() + 1, width: 1, ..area });
        } else {
            painter.rule(list::margin(text), 0, None);
        }
        let head = self.head(model, own, usize::from(text.width));
        painter.row(text, 0, u16::from(!is_beside), &head);
        if self.is_reading && model.selection.focus == Focus::Main {
            let mark = Row::of(painter.symbols.selected, Role::Accent);
            painter.row(list::margin(text), 0, u16::from(!is_beside), &mark);
        }
        self.draw_text(model, painter, text_area(model), own);
    }

    /// The list; beside the text it has a heading.
    fn draw_list(
        &self,
        model: &Model,
        painter: &mut Painter<'_>,
        area: Rect,
        own: &Document,
        is_beside: bool,
    ) {
        let documents: Vec<&Document> = all(model, &own.scope);
        let mut area = area;
        if is_beside {
            let s = if documents.len() == 1 { "" } else { "s" };
            let heading = Row::of(format!("{} document{s}", documents.len()), Role::Dim);
            painter.row(area, 0, 0, &heading);
            area = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        }
        let at = documents.iter().position(|document| document.file == own.file).unwrap_or(0);
        let first = (at + 1).saturating_sub(usize::from(area.height));
        for (y, document) in (0..area.height).zip(documents.iter().skip(first)) {
            let is_own = document.file == own.file;
            let at = model.zone().clock(document.updated_at);
            let mut right = Row::of(format!("v{}", document.version), Role::Dim);
            if !is_beside {
                right.push(format!(" {}", document.author), hue(document.author.as_str()));
                right.tab(right.width().max(14));
            }
            right.push(format!(" {at}"), Role::Dim);
            let room = usize::from(area.width).saturating_sub(right.width() + 1);
            let name = cut::middle(document.file.clone(), room, model.symbols().ellipsis);
            let column = usize::from(area.width).saturating_sub(right.width());
            let row = Row::of(name, Role::Text).tabbed(column).and(right);
            let is_picked = is_own && !self.is_reading;
            list::line(model, painter, list::margin(area), y, &row, is_picked);
        }
    }

    /// What is read, and what is known of it as far as there is room.
    fn head(&self, model: &Model, document: &Document, width: usize) -> Row {
        let sign = model.symbols().vertical;
        let shown = self.version(document);
        let version = Row::of(format!(" v{shown} of {}", document.version), Role::Text);
        let room = width.saturating_sub(version.width());
        let name = cut::middle(document.file.clone(), room, model.symbols().ellipsis);
        let mut row = Row::of(name, Role::Title).and(version);
        let compared = match (self.mine(model, document), self.base(document)) {
            (Some(_), _) => Some(" changed to your text".to_owned()),
            (None, base) => base.map(|base| format!(" against v{base}")),
        };
        if let Some(compared) = compared {
            row.push(compared, Role::Accent);
            if let Some(laid) = self.laid(model)
                && let Laid::Diff(diff) = &*laid
            {
                row.push(format!(" ({})", diff.summary(model.symbols())), Role::Text);
            }
        }
        let mut row = row.cut(width, model.symbols().ellipsis);
        for (fact, role) in self.facts(model, document, shown) {
            let fact = Row::of(format!(" {sign} "), Role::Dim).with(fact, role);
            if row.width() + fact.width() <= width {
                row.append(fact);
            }
        }
        row
    }

    /// What is known of a document, the weightiest first.
    fn facts(&self, model: &Model, document: &Document, shown: i64) -> Vec<(String, Role)> {
        let mut facts = Vec::new();
        if shown < document.version {
            let (version, author) = (document.version, &document.author);
            let newest = model.pane_key(Action::Refresh);
            facts.push((format!("v{version} by {author}, {newest} shows it"), Role::Wait));
        }
        let versions = self.versions.get(&key_of(document));
        let written = versions.and_then(|all| all.versions.iter().find(|one| one.version == shown));
        if let Some(written) = written {
            let at = model.zone().clock(written.created_at);
            facts.push((format!("{} {at}", written.author), Role::Dim));
        }
        facts.extend(document.owner.as_ref().map(|owner| (format!("owner {owner}"), Role::Dim)));
        let bytes = written.map_or(document.bytes, |written| written.bytes);
        facts.push((numbers::size(bytes), Role::Dim));
        facts
    }

    fn draw_text(&self, model: &Model, painter: &mut Painter<'_>, area: Rect, own: &Document) {
        let Some(laid) = self.laid(model) else {
            let words = self.missing(model, &key_of(own));
            painter.text(area, 0, 0, &Ink::from(words), Role::Dim);
            return;
        };
        let rows = laid.rows();
        let top = self.row(model).min(rows.len().saturating_sub(1));
        for (y, row) in (0..area.height).zip(rows.iter().skip(top)) {
            painter.row(area, 0, y, &search::mark(model, row.clone()));
        }
        if rows.is_empty() {
            let words =
                if matches!(&*laid, Laid::Diff(_)) { "nothing differs" } else { "it is empty" };
            painter.text(area, 0, 0, &Ink::from(words), Role::Dim);
        }
        let seen = top + usize::from(area.height);
        if rows.len() > usize::from(area.height) {
            let percent = (seen * 100 / rows.len()).min(100);
            let words = Row::of(format!(" {percent} % "), Role::Selected);
            let x = area.width.saturating_sub(u16::try_from(words.width()).unwrap_or(0));
            painter.row(area, x, area.height.saturating_sub(1), &words);
        }
    }
}
