//! Every key as a line of a list, and the window in which an action gets another one.

use ratatui_core::layout::Rect;

use super::{
    Caret, Outcome, Overlay,
    choices::{Choice, Entry, entry},
};
use crate::{
    key::{Code, Key},
    keys::{BINDINGS, Binding, Context, Keymap},
    model::{Effect, Model, Record, Window},
    paint::{Painter, Row},
    panes::Panes,
    parts::frame,
    text::wrap,
    theme::Role,
};

/// Columns of the window.
const WIDTH: u16 = 66;

/// The row that stands at this place of the table.
fn row(at: usize) -> &'static Binding {
    &BINDINGS[at.min(BINDINGS.len() - 1)]
}

/// The rows of the table.
pub(super) fn lines(model: &Model) -> Vec<Entry> {
    let lines = BINDINGS.iter().enumerate().map(|(at, row)| {
        let keymap = &model.settings.keymap;
        let mark = if keymap.is_default(row) { "" } else { " (changed)" };
        let label = format!("{}: {}{mark}", row.context.names().1, row.does);
        let words = format!("{} {} {}", row.id, row.label, row.words);
        Entry { words, key: Some(shown(keymap, row)), ..entry(label, Choice::Key(at)) }
    });
    lines.collect()
}

fn shown(keymap: &Keymap, row: &Binding) -> String {
    let keys = keymap.all_shown(row);
    if keys.is_empty() { "no key".to_owned() } else { keys }
}

/// Waits for the key that an action gets.
#[derive(Debug)]
pub struct NewKey {
    at: usize,
    problem: Option<String>,
}

impl NewKey {
    /// For a row of the table.
    pub fn new(at: usize) -> Self {
        Self { at, problem: None }
    }

    fn refuse(&mut self, problem: String) -> Outcome {
        self.problem = Some(problem);
        Outcome::stay()
    }

    /// Back to the list, with the keys written down.
    fn done(&self, keys: Option<Vec<String>>) -> Outcome {
        let row = row(self.at);
        let kept = Effect::Store(Record::Keys(row.context.names().0, row.id, keys));
        Outcome::Close(vec![kept, Effect::Open(Window::Keys(Some(self.at)))])
    }

    fn reset(&mut self, model: &mut Model) -> Outcome {
        let row = row(self.at);
        let mut keymap = model.settings.keymap.clone();
        if let Some(other) = keymap.reset(row) {
            let does = other.does;
            return self.refuse(format!("its default key is taken: {does} (`{}`)", other.id));
        }
        model.settings.keymap = keymap;
        self.done(None)
    }
}

/// Where else a key means something, in a sentence.
fn elsewhere(keymap: &Keymap, context: Context, key: Key) -> Option<String> {
    let is_outer = |context| matches!(context, Context::Anywhere | Context::Move);
    let mut others = keymap.elsewhere(context, key);
    others.retain(|other| is_outer(context) || is_outer(other.context));
    let told = |other: &&Binding| format!("{} ({})", other.label, other.context.names().1);
    let others: Vec<String> = others.iter().map(told).collect();
    (!others.is_empty()).then(|| format!("the same key: {}", others.join(", ")))
}

impl Overlay for NewKey {
    fn key(&mut self, model: &mut Model, _: &mut Panes, key: Key) -> Outcome {
        if key == Key::plain(Code::Esc) || key == Key::ctrl('c') {
            return Outcome::Close(vec![Effect::Open(Window::Keys(Some(self.at)))]);
        }
        if key == Key::plain(Code::Backspace) {
            return self.reset(model);
        }
        let (row, wanted) = (row(self.at), vec![key.to_string()]);
        match model.settings.keymap.set(row.context.names().0, row.id, &wanted) {
            Ok(()) => self.done(Some(wanted)),
            Err(problem) => self.refuse(problem),
        }
    }

    fn keys(&self, _: &Model) -> Vec<(String, String)> {
        frame::pairs(&[("any key", "take it"), ("Backspace", "default"), ("Esc", "cancel")])
    }

    fn draw(&self, model: &Model, _: &Panes, painter: &mut Painter<'_>, area: Rect) -> Caret {
        let (row, keymap) = (row(self.at), &model.settings.keymap);
        let inside = frame::frame(painter, area, (WIDTH, 9), "press a key", "");
        let now = format!("{} now: {}", row.context.names().1, shown(keymap, row));
        let mut rows = vec![Row::of(row.does, Role::Strong), Row::of(now, Role::Text)];
        let first = keymap.keys_of(row).first();
        if let Some(words) = first.and_then(|key| elsewhere(keymap, row.context, *key)) {
            rows.push(Row::of(words, Role::Dim));
        }
        match &self.problem {
            Some(problem) => rows.push(Row::of(problem.clone(), Role::Failed)),
            None => rows.push(Row::of("Backspace: the default  Esc: keep it", Role::Dim)),
        }
        let width = usize::from(inside.width.saturating_sub(2));
        let text = Rect { x: inside.x + 1, width: inside.width.saturating_sub(1), ..inside };
        painter.rows(text, 0, &wrap::wrap(&rows, width, 0));
        None
    }

    fn keeps_esc(&self) -> bool {
        true
    }
}
