//! Search over everything that was said and written: what is typed is looked for at once.

use agent_worker_protocol::{
    conversation::Conversation,
    search::{Hit, HitKind},
    time::Timestamp,
};
use ratatui_core::layout::Rect;

use super::{Field, Outcome, frame, pairs};
use crate::{
    app::act,
    key::{Code, Key},
    model::{
        State,
        requests::{Effect, Request},
        words::talk_name,
    },
    paint::{Painter, Row},
    panes::{documents, search},
    theme::{Role, hue},
};

/// Rows of one thing that was found.
const ROWS: u16 = 2;

/// What narrows it down.
const QUALIFIERS: &str = "from: to: in: kind: before: after:";

/// What is typed, and which line is marked.
#[derive(Debug)]
pub struct Find {
    field: Field,
    marked: usize,
}

impl Find {
    /// With what was looked for last.
    pub fn new(state: &State) -> Self {
        Self { field: Field::with(search::wanted(state)), marked: search::marked(state) }
    }

    /// Where is typed.
    pub fn field(&mut self) -> &mut Field {
        self.marked = 0;
        &mut self.field
    }

    /// What is typed.
    pub fn text(&self) -> String {
        self.field.text().trim().to_owned()
    }

    /// What is typed is looked for.
    fn look(&self) -> Outcome {
        let text = self.text();
        Outcome::With(Box::new(move |state| search::want(state, &text)))
    }

    /// A key.
    pub fn key(&mut self, state: &State, key: Key) -> Outcome {
        let hits = search::hits(state);
        let last = hits.len().saturating_sub(1);
        let step = match key.code {
            Code::Down => 1,
            Code::Up => -1,
            Code::PageDown => 8,
            Code::PageUp => -8,
            Code::Enter => {
                let hit = hits.get(self.marked).cloned();
                let marked = self.marked;
                return match hit {
                    Some(hit) => Outcome::then(move |state| {
                        search::mark(state, marked);
                        open(state, &hit)
                    }),
                    None => Outcome::stay(),
                };
            }
            _ => {
                let before = self.field.text().to_owned();
                self.field.key(key);
                if self.field.text() == before {
                    return Outcome::stay();
                }
                self.marked = 0;
                return self.look();
            }
        };
        self.marked = self.marked.saturating_add_signed(step).min(last);
        if self.marked == last { Outcome::With(Box::new(search::more)) } else { Outcome::stay() }
    }

    /// Its keys.
    pub fn keys() -> Vec<(String, String)> {
        pairs(&[
            ("Enter", "go there"),
            ("Up Down", "move"),
            ("Esc", "back, what was typed is kept"),
        ])
    }

    /// Draws it.
    pub fn draw(&self, state: &State, painter: &mut Painter<'_>, area: Rect) -> Option<(u16, u16)> {
        let size = (area.width.saturating_sub(4).min(120), area.height.saturating_sub(4));
        let inside = frame(painter, area, size, "search everything", QUALIFIERS);
        let x = painter.row(inside, 0, 0, &Row::of("/ ", Role::Accent));
        let caret = self.field.draw(painter, inside, x, 0);
        let told = Row::of(search::told(state), Role::Dim);
        painter.rule(inside, 1, Some(told));
        if let Some(problem) = search::problem(state) {
            painter.row(inside, 0, 2, &Row::of(problem.to_owned(), Role::Failed));
            return Some(caret);
        }
        let room = usize::from(inside.height.saturating_sub(2) / ROWS).max(1);
        let hits = search::hits(state);
        let marked = self.marked.min(hits.len().saturating_sub(1));
        let top = (marked + 1).saturating_sub(room);
        let width = usize::from(inside.width);
        let ellipsis = state.look.symbols.ellipsis;
        let shown = hits.iter().enumerate().skip(top).take(room);
        for (y, (number, hit)) in (2..).step_by(usize::from(ROWS)).zip(shown) {
            let mark = if number == marked { state.look.symbols.selected } else { " " };
            let mut head = Row::of(mark, Role::Accent).pad(1);
            head.append(place(state, hit));
            painter.row(inside, 0, y, &head.cut(width, ellipsis));
            let mut text = Row::of("   ", Role::Text);
            text.append(snippet(hit));
            painter.row(inside, 0, y + 1, &text.cut(width, ellipsis));
        }
        Some(caret)
    }
}

/// Where it is, who said or wrote it, and when.
fn place(state: &State, hit: &Hit) -> Row {
    let mut row = match (&hit.kind, &hit.group, &hit.file) {
        (HitKind::Document, _, Some(file)) => {
            Row::of(file.clone(), Role::Strong).with(format!(" {}", hit.scope.key()), Role::Text)
        }
        (HitKind::Resource, ..) => {
            let id = hit.resource.map(|id| id.to_string()).unwrap_or_default();
            Row::of(id, Role::Strong).with(format!(" {}", hit.scope.key()), Role::Text)
        }
        (_, Some(talk), _) if *talk != Conversation::Channel => {
            Row::of(format!("{} {}", hit.scope.key(), talk_name(talk)), Role::Text)
        }
        _ => Row::of(format!("{} #", hit.scope.key()), Role::Text),
    };
    let at = state.look.zone.near(hit.at, Timestamp(state.shown_now()));
    row.push(format!(" {at} "), Role::Dim);
    row.push(hit.by.to_string(), hue(hit.by.as_str()));
    row
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

fn role(is_match: bool) -> Role {
    if is_match { Role::Match } else { Role::Text }
}

/// Shows what was found, where it is.
fn open(state: &mut State, hit: &Hit) -> Vec<Effect> {
    match (hit.message, &hit.file, hit.resource) {
        (Some(message), ..) => {
            let group = hit.group.clone().unwrap_or(Conversation::Channel);
            act::to_line(state, &hit.scope, &group, message)
        }
        (None, Some(file), _) => documents::open(state, &hit.scope, file),
        (None, None, Some(id)) => vec![Effect::Ask(Request::Resource(hit.scope.clone(), id))],
        (None, None, None) => Vec::new(),
    }
}
