//! Search over everything that was said and written: what is typed is looked for at once.

use agent_worker_protocol::{Conversation, Hit, HitKind};
use ratatui_core::layout::Rect;

use super::{Caret, Outcome, Overlay, overlay::keyed};
use crate::{
    action::Action,
    key::Key,
    keys::Context,
    model::{Effect, Model, Request, Sought, words::talk_name},
    paint::{Painter, Row},
    panes::{Panes, search::Search},
    parts::{field::Field, frame, list},
    theme::{Role, hue},
};

/// Where its keys are, beside the letters that are looked for.
const KEYS: &[Context] = &[Context::Picker, Context::Move];

/// Rows of one thing that was found.
const ROWS: u16 = 2;

/// What narrows it down.
const QUALIFIERS: &str = "from: to: in: kind: before: after:";

/// What is typed, and which line is marked.
#[derive(Debug)]
pub struct Find {
    field: Field,
    marked: usize,
    /// The first line on the screen when one was clicked
    first: usize,
}

impl Find {
    /// With what was looked for last, which typing replaces.
    pub fn new(search: &Search) -> Self {
        Self { field: Field::with_old(&search.wanted), marked: search.marked, first: 0 }
    }

    fn text(&self) -> String {
        self.field.text().trim().to_owned()
    }
}

/// Where it is, who said or wrote it, and when.
fn place(model: &Model, hit: &Hit) -> Row {
    let scope = hit.scope.key();
    let row = match (&hit.kind, &hit.group, &hit.file) {
        (HitKind::Document, _, Some(file)) => {
            Row::of(file.clone(), Role::Strong).with(format!(" {scope}"), Role::Text)
        }
        (HitKind::Resource, ..) => {
            let id = hit.resource.map(|id| id.to_string()).unwrap_or_default();
            Row::of(id, Role::Strong).with(format!(" {scope}"), Role::Text)
        }
        (_, Some(talk), _) if *talk != Conversation::Channel => {
            Row::of(format!("{scope} {}", talk_name(talk)), Role::Text)
        }
        _ => Row::of(format!("{scope} #"), Role::Text),
    };
    let at = model.zone().near(hit.at, model.shown_at());
    row.with(format!(" {at} "), Role::Dim).with(hit.by.to_string(), hue(hit.by.as_str()))
}

/// The words around what was found, with what was asked for marked.
fn snippet(hit: &Hit) -> Row {
    let is_match = |at: u32| hit.matches.iter().any(|span| (span.start..span.end).contains(&at));
    let mut row = Row::new();
    let mut part = (String::new(), false);
    for (at, c) in (0..).zip(hit.snippet.chars()) {
        if is_match(at) != part.1 {
            row.push(std::mem::take(&mut part.0), role(part.1));
            part.1 = !part.1;
        }
        part.0.push(c);
    }
    row.push(part.0, role(part.1));
    row
}

/// The first word that was found in it.
fn word(hit: &Hit) -> Option<String> {
    let span = hit.matches.first()?;
    let chars =
        hit.snippet.chars().zip(0_u32..).filter(|(_, at)| (span.start..span.end).contains(at));
    Some(chars.map(|(c, _)| c).collect())
}

fn role(is_match: bool) -> Role {
    if is_match { Role::Match } else { Role::Text }
}

/// Shows what was found, where it is.
fn open(hit: &Hit) -> Vec<Effect> {
    match (hit.message, &hit.file, hit.resource) {
        (Some(message), ..) => {
            let group = hit.group.clone().unwrap_or(Conversation::Channel);
            vec![Effect::show_message(&hit.scope, &group, message)]
        }
        (None, Some(file), _) => vec![Effect::show_document(&hit.scope, file)],
        (None, None, Some(id)) => {
            let find = word(hit).unwrap_or_default();
            vec![Effect::Ask(Request::Resource(hit.scope.clone(), id, find))]
        }
        (None, None, None) => Vec::new(),
    }
}

impl Overlay for Find {
    fn key(&mut self, model: &mut Model, panes: &mut Panes, key: Key) -> Outcome {
        let step = match model.settings.keymap.beside_text(KEYS, key) {
            Some(Action::Down) => 1,
            Some(Action::Up) => -1,
            Some(Action::PageDown) => 8,
            Some(Action::PageUp) => -8,
            Some(Action::Send) => {
                let hit = panes.search.hits().get(self.marked).cloned();
                let Some(hit) = hit else { return Outcome::stay() };
                panes.search.marked = self.marked;
                if let (Some(file), Some(word)) = (&hit.file, word(&hit)) {
                    panes.documents.seek(&hit.scope, file, word);
                }
                let effects = open(&hit);
                if let [Effect::Go(place, Some(item))] = &effects[..] {
                    let (place, item) = (place.clone(), item.clone());
                    let word = word(&hit).unwrap_or_default();
                    model.selection.hit = Some(Sought { place, item, word });
                }
                return Outcome::Close(effects);
            }
            _ => {
                let before = self.field.text().to_owned();
                self.field.key(key);
                if self.field.text() == before {
                    return Outcome::stay();
                }
                self.marked = 0;
                return Outcome::Stay(panes.search.want(model, &self.text()));
            }
        };
        Outcome::Stay(self.wheel(model, panes, step))
    }

    fn wheel(&mut self, model: &Model, panes: &mut Panes, rows: isize) -> Vec<Effect> {
        let last = panes.search.hits().len().saturating_sub(1);
        self.first = self.first.min(self.marked);
        self.marked = self.marked.saturating_add_signed(rows).min(last);
        if self.marked == last { panes.search.more(model) } else { Vec::new() }
    }

    fn keys(&self, model: &Model) -> Vec<(String, String)> {
        use Action::{Down, Send, Up};
        let keys = keyed(model, KEYS, &[(&[Send], "go there"), (&[Up, Down], "move")]);
        frame::with_esc(keys, "back, what was typed is kept")
    }

    fn draw(&self, model: &Model, panes: &Panes, painter: &mut Painter<'_>, area: Rect) -> Caret {
        let size = (area.width.saturating_sub(4).min(120), area.height.saturating_sub(4));
        let inside = frame::frame(painter, area, size, "search everything", QUALIFIERS);
        let x = painter.row(inside, 0, 0, &Row::of("/ ", Role::Accent));
        let caret = self.field.draw(painter, inside, x, 0);
        let told = Row::of(panes.search.told(model), Role::Dim);
        painter.rule(inside, 1, Some(told));
        if let Some(problem) = &panes.search.problem {
            painter.row(inside, 0, 2, &Row::of(problem.clone(), Role::Failed));
            return Some(caret);
        }
        let room = usize::from(inside.height.saturating_sub(2) / ROWS).max(1);
        let hits = panes.search.hits();
        let marked = self.marked.min(hits.len().saturating_sub(1));
        let top = list::top(marked, self.first, room, hits.len());
        let width = usize::from(inside.width);
        let ellipsis = model.symbols().ellipsis;
        let shown = hits.iter().enumerate().skip(top).take(room);
        for (y, (number, hit)) in (2..).step_by(usize::from(ROWS)).zip(shown) {
            let mark = if number == marked { model.symbols().selected } else { " " };
            let head = Row::of(mark, Role::Accent).pad(1).and(place(model, hit));
            painter.row(inside, 0, y, &head.cut(width, ellipsis));
            let text = Row::of("   ", Role::Text).and(snippet(hit));
            painter.row(inside, 0, y + 1, &text.cut(width, ellipsis));
            painter.spot(inside, y, number);
            painter.spot(inside, y + 1, number);
        }
        Some(caret)
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn on_show(&self, model: &Model, panes: &mut Panes) -> Vec<Effect> {
        panes.search.again(model)
    }

    fn pasted(&mut self, model: &mut Model, panes: &mut Panes) -> Vec<Effect> {
        self.marked = 0;
        panes.search.want(model, &self.text())
    }

    fn marked(&self) -> Option<usize> {
        Some(self.marked)
    }

    fn mark(&mut self, _: &Model, line: usize, first: usize) {
        (self.marked, self.first) = (line, first);
    }

    fn contexts(&self) -> Vec<Context> {
        KEYS.to_vec()
    }
}
